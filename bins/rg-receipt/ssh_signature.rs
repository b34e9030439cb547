//! SSH signatures, made and checked by ssh-keygen(1) with git's signing key and a file of allowed signers.

use crate::base64;
use review_gate::git::{Repository, Settings};
use review_gate::sys::digest;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::process::{self, Command};
use review_gate::sys::text::{cut_end, one_line};
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::NamedTempFile;

/// The namespace of the signatures: a signature for another purpose, for example of a commit, is not valid here.
pub const NAMESPACE: &str = "review-gate-receipt";

/// How long one call of ssh-keygen may take; a security key waits for a touch.
const PATIENCE: Duration = Duration::from_secs(20);

/// How much of ssh-keygen's output is read, in bytes.
const OUTPUT: usize = 64 << 10;

/// How many principals of one key are tried.
const PRINCIPALS: usize = 8;

const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";

/// The key that git signs with: `user.signingkey` where `gpg.format` is `ssh`.
pub enum SigningKey {
    /// The path of a private key, or of a public key whose private key is beside it or in the agent.
    File(PathBuf),
    /// A public key whose private key is in the agent.
    Agent(String),
}

impl SigningKey {
    /// The configured key. Errors (111): there is none, or git does not sign with SSH.
    pub fn configured(repository: &Repository, dir: &Path) -> Result<SigningKey> {
        let settings = Settings::of(repository)?;
        let setup = "Set `git config gpg.format ssh` and `git config user.signingkey FILE`";
        match settings.last("gpg.format") {
            Some("ssh") => {}
            other => {
                let other = one_line(other.unwrap_or("openpgp"));
                return Err(Error::missing(format!("git does not sign with SSH: gpg.format is {other}. {setup}")));
            }
        }
        match settings.last("user.signingkey").filter(|key| !key.is_empty()) {
            None => Err(Error::missing(format!("no signing key. {setup}"))),
            Some(key) if key.starts_with("key::") => Ok(SigningKey::Agent(key["key::".len()..].to_string())),
            Some(key) if key.starts_with("ssh-") => Ok(SigningKey::Agent(key.to_string())),
            Some(path) => Ok(SigningKey::File(absolute(path, dir))),
        }
    }

    /// Signs a message. Errors (111): ssh-keygen is missing, fails, or does not end in time.
    pub fn sign(&self, message: &[u8]) -> Result<SshSignature> {
        let public_key;
        let mut args: Vec<&OsStr> = ["-Y", "sign", "-n", NAMESPACE].map(OsStr::new).into();
        let path = match self {
            SigningKey::File(path) => path.as_path(),
            SigningKey::Agent(key) => {
                public_key = temporary(format!("{}\n", key.trim()).as_bytes())?;
                args.push(OsStr::new("-U"));
                public_key.path()
            }
        };
        args.extend([OsStr::new("-f"), path.as_os_str()]);
        let (is_signed, out) = ssh_keygen(&args, message)?;
        if !is_signed {
            let key = one_line(&path.display().to_string());
            return Err(Error::child(format!("unable to sign with {key}: {}", reason(&out))));
        }
        SshSignature::of_armor(&out).ok_or_else(|| Error::child("ssh-keygen printed no signature"))
    }
}

/// The file of allowed signers that git is configured to use.
pub fn configured_signers(repository: &Repository, dir: &Path) -> Result<Option<PathBuf>> {
    let settings = Settings::of(repository)?;
    let path = settings.last("gpg.ssh.allowedsignersfile").filter(|path| !path.is_empty());
    Ok(path.map(|path| absolute(path, dir)))
}

/// A path of git's settings. It is absolute, so that it never begins with a dash.
fn absolute(path: &str, dir: &Path) -> PathBuf {
    match (path.strip_prefix("~/"), env::home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => dir.join(path),
    }
}

/// An SSH signature (PROTOCOL.sshsig of OpenSSH).
pub struct SshSignature {
    /// The binary form.
    pub blob: Vec<u8>,
    /// What it was made for.
    pub namespace: String,
    /// The fingerprint of the key, as ssh-keygen prints it.
    pub fingerprint: String,
}

impl SshSignature {
    /// Parses the binary form; None if it is malformed.
    pub fn parse(blob: Vec<u8>) -> Option<SshSignature> {
        let mut rest = blob.strip_prefix(b"SSHSIG\0\0\0\x01")?;
        let key = string(&mut rest)?;
        let namespace = String::from_utf8(string(&mut rest)?.to_vec()).ok()?;
        let fingerprint = format!("SHA256:{}", base64::encode(&digest::raw(key)).trim_end_matches('='));
        Some(SshSignature { namespace, fingerprint, blob })
    }

    fn of_armor(out: &[u8]) -> Option<SshSignature> {
        let text = std::str::from_utf8(out).ok()?;
        let body = text.split_once(BEGIN)?.1.split_once(END)?.0;
        let digits: String = body.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        SshSignature::parse(base64::decode(&digits)?)
    }

    fn armor(&self) -> String {
        let digits = base64::encode(&self.blob);
        let lines: Vec<&str> = digits.as_bytes().chunks(70).filter_map(|line| std::str::from_utf8(line).ok()).collect();
        format!("{BEGIN}\n{}\n{END}\n", lines.join("\n"))
    }

    /// Checks that an allowed signer made this signature of this message. Ok(Ok) holds the signer's principal, Ok(Err) the reason why
    /// it is not valid. Errors (111): ssh-keygen is missing or does not end in time.
    pub fn check(&self, message: &[u8], signers: &Path) -> Result<std::result::Result<String, String>> {
        if self.namespace != NAMESPACE {
            let found = cut_end(&one_line(&self.namespace), 60);
            return Ok(Err(format!("made for the namespace {found:?}, not {NAMESPACE:?}")));
        }
        let file = temporary(self.armor().as_bytes())?;
        let of = |verb: &'static str| -> Vec<&OsStr> {
            vec![OsStr::new("-Y"), OsStr::new(verb), OsStr::new("-s"), file.path().as_os_str()]
        };
        let with_namespace = [OsStr::new("-n"), OsStr::new(NAMESPACE)];
        let (is_intact, out) = ssh_keygen(&[of("check-novalidate"), with_namespace.to_vec()].concat(), message)?;
        if !is_intact {
            return Ok(Err(format!("does not match the statement: {}", reason(&out))));
        }
        let allowed = [OsStr::new("-f"), signers.as_os_str()];
        let (is_known, out) = ssh_keygen(&[of("find-principals"), allowed.to_vec()].concat(), b"")?;
        let mut why = reason(&out);
        let principals = String::from_utf8_lossy(&out).into_owned();
        for principal in principals.lines().filter(|_| is_known).take(PRINCIPALS) {
            let identity = [OsStr::new("-I"), OsStr::new(principal)];
            let args = [of("verify"), with_namespace.to_vec(), allowed.to_vec(), identity.to_vec()].concat();
            let (is_valid, out) = ssh_keygen(&args, message)?;
            if is_valid {
                return Ok(Ok(one_line(principal)));
            }
            why = reason(&out);
        }
        let signers = one_line(&signers.display().to_string());
        Ok(Err(format!("{} is no allowed signer in {signers}: {why}", self.fingerprint)))
    }
}

/// Reads a length-prefixed string of the SSH protocol.
fn string<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    let found = after.get(..length)?;
    *rest = &after[length..];
    Some(found)
}

/// Runs ssh-keygen and returns whether it succeeded and its standard output; if it printed none, its standard error.
fn ssh_keygen(args: &[&OsStr], input: &[u8]) -> Result<(bool, Vec<u8>)> {
    let mut command = Command::new("ssh-keygen");
    command.args(args).env("LC_ALL", "C");
    let out = process::output_with_input(command, input.to_vec(), PATIENCE, OUTPUT)?;
    let is_success = out.success();
    Ok((is_success, if is_success { out.stdout } else { [out.stdout, out.stderr].concat() }))
}

/// What ssh-keygen printed, in one line.
fn reason(out: &[u8]) -> String {
    let text = String::from_utf8_lossy(out);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match lines.is_empty() {
        true => "ssh-keygen gave no reason".to_string(),
        false => cut_end(&one_line(&lines.join("; ")), 300),
    }
}

/// A temporary file with mode 0600 that holds those bytes.
fn temporary(bytes: &[u8]) -> Result<NamedTempFile> {
    let written = NamedTempFile::new().and_then(|mut file| file.write_all(bytes).map(|()| file));
    written.map_err(|e| Error::stream("write a temporary file", e))
}
