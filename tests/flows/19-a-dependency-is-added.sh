# A dependency is added to the manifest and to the lock file.
project
printf '{"scripts":{"test":"jest"},"dependencies":{}}\n' >package.json && echo '{}' >package-lock.json && commit package
prompt 'add left-pad'
printf '{"scripts":{"test":"jest","lint":"eslint ."},"dependencies":{"left-pad":"^1.3.0"}}\n' >package.json
printf '{"packages":{"left-pad":{"version":"1.3.0"}}}\n' >package-lock.json
stop
