//! Rules about disks, partitions, volumes.

use super::rule::{Rule, When, ask, deny};
use crate::command::path::Class;
use crate::command::{Call, flags, marks};

/// Whether a path is a device that holds data.
pub fn is_disk(path: &str) -> bool {
    let Some(name) = path.strip_prefix("/dev/") else { return false };
    let harmless = [
        "null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "fd", "shm", "pts", "ptmx",
        "tcp", "udp", "console",
    ];
    !harmless.iter().any(|known| name == *known || name.starts_with(&format!("{known}/")) || name.starts_with("tty"))
}

fn names_disk(call: &Call) -> bool {
    call.args.iter().any(|arg| {
        is_disk(&arg.text)
            || arg.text.starts_with("disk") && call.name == "diskutil"
            || arg.text.starts_with(marks::is_unknown)
    })
}

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        when: When::Words(&[
            "debugfs -w",
            "ceph osd pool delete|rm",
            "ceph osd purge|destroy",
            "ceph fs rm",
            "rbd rm|remove",
            "rbd snap purge",
            "radosgw-admin bucket|user rm",
            "gluster ... delete|stop",
            "hdfs|hadoop dfs|fs -rmr",
            "hdfs|hadoop dfs|fs -rm -r|-R|-skipTrash",
            "hdfs namenode -format",
        ]),
        denied: &[
            "sudo debugfs -w -R 'rm /etc/shadow' /dev/sda1",
            "ceph osd pool delete rbd rbd --yes-i-really-really-mean-it",
            "hdfs dfs -rm -r -skipTrash /data",
        ],
        allowed: &["ceph status", "hdfs dfs -ls /data", "debugfs -R 'stat /etc' /dev/sda1"],
        ..deny("storage-destroy", "it removes data of a storage system", "inspect it first: `ceph status`")
    },
    Rule {
        core: true,
        when: When::Check(&["dd", "gdd", "dcfldd", "ddrescue"], |call, _| {
            call.args.iter().any(|arg| {
                arg.text
                    .strip_prefix("of=")
                    .is_some_and(|path| is_disk(path) || path.starts_with("/etc/") || path.starts_with("/boot"))
            })
        }),
        denied: &["dd if=/dev/zero of=/dev/sda", "sudo dd of=/dev/nvme0n1 if=img.iso bs=1M"],
        allowed: &["dd if=/dev/zero of=disk.img bs=1M count=10", "dd if=/dev/sda of=/dev/null count=1"],
        ..deny("dd-device", "it overwrites a disk", "write to a file: `dd if=/dev/zero of=disk.img bs=1M count=10`")
    },
    Rule {
        when: When::Check(&["dd", "gdd", "dcfldd", "ddrescue"], |call, _| {
            let is_unknown = |path: &str| !path.is_empty() && path.chars().all(marks::is_unknown);
            call.args.iter().any(|arg| arg.text.strip_prefix("of=").is_some_and(is_unknown))
        }),
        denied: &["dd if=/dev/zero of=\"$DISK\" bs=1K count=200"],
        allowed: &["dd if=/dev/zero of=\"$DIR/disk.img\" bs=1M count=1"],
        ..ask(
            "dd-unknown",
            "it overwrites a file or a disk that is not known",
            "write the path in full: `dd if=/dev/zero of=disk.img bs=1M count=10`",
        )
    },
    Rule {
        core: true,
        when: When::Check(&["*"], |call, context| {
            let makes = call.name == "mkfs"
                || call.name.starts_with("mkfs.")
                || matches!(call.name.as_str(), "mkswap" | "mke2fs" | "newfs" | "mkdosfs" | "mkntfs");
            let is_own = |path: &str| matches!(context.class(call, path), Class::Inside | Class::Temp | Class::InHome);
            let is_elsewhere = || call.args.last().is_some_and(|arg| arg.text.starts_with('/') && !is_own(&arg.text));
            makes && (names_disk(call) || is_elsewhere()) && !flags(&call.args, "").any(&["--help", "-V"])
        }),
        denied: &["mkfs.ext4 /dev/sda1", "mkfs.ext4 /mnt/disks/disk5", "mkfs -t ext4 /dev/sdb", "mkswap /dev/sda2"],
        allowed: &["mkfs.ext4 disk.img", "mkfs.ext4 --help"],
        ..deny(
            "mkfs-device",
            "it creates a file system on a disk, which may hold one",
            "use a file: `mkfs.ext4 disk.img`",
        )
    },
    Rule {
        when: When::Check(&["fdisk", "sfdisk", "cfdisk", "parted", "sgdisk", "gdisk", "gparted"], |call, _| {
            let found = flags(&call.args, "-t -s- -o --output");
            let looks =
                found.any(&["-l", "--list", "-d", "--dump", "-h", "--help", "-v", "-J"]) && call.name != "sgdisk";
            let prints = call.args.iter().any(|arg| matches!(arg.text.as_str(), "print" | "-p" | "--print" | "help"));
            names_disk(call) && !looks && !prints
        }),
        denied: &["fdisk /dev/sda", "parted -s /dev/sda mklabel gpt", "sgdisk -Z /dev/sda"],
        allowed: &["fdisk -l", "parted /dev/sda print"],
        ..deny("partition-change", "it changes the partitions of a disk", "list the partitions: `fdisk -l`")
    },
    Rule {
        when: When::Words(&[
            "wipefs -a|--all|-o|-f",
            "blkdiscard /dev/*",
            "badblocks -w|-n",
            "hdparm --security-erase|--security-erase-enhanced|--trim-sector-ranges",
            "nvme format|sanitize",
            "pvremove",
            "vgremove",
            "lvremove",
            "nwipe --autonuke",
            "sswap",
            "sfill",
            "ntfsclone -O|--overwrite",
            "partclone.* -r|--restore",
            "lvreduce !-t|--test",
            "lvresize|lvextend -L|--size|-l|--extents=-* !-t|--test",
            "vgreduce",
            "pvcreate /dev/*",
            "zpool destroy|labelclear|create",
            "zfs destroy !-n",
            "btrfs subvolume delete",
            "btrfs device remove|delete",
            "mdadm --zero-superblock|--stop|-S|--create",
            "cryptsetup luksFormat|erase|luksErase|luksRemoveKey|luksKillSlot|reencrypt",
            "diskutil erase*|partitionDisk|zeroDisk|secureErase|reformat|apfs",
            "diskpart",
            "format *:",
            "tune2fs -O|-U /dev/*",
            "losetup -D",
            "umount -a",
            "sfdisk --delete",
            "partx -d",
        ]),
        denied: &[
            "wipefs -a /dev/sda",
            "zpool destroy tank",
            "btrfs subvolume delete /mnt/@home",
            "diskutil eraseDisk JHFS+ X disk2",
            "vgremove -f vg0",
            "badblocks -w /dev/sda",
        ],
        allowed: &["blkid /dev/sda1", "zpool status", "diskutil list", "lvs"],
        ..deny("volume-destroy", "it destroys a volume with its data", "list the volumes: `lsblk`")
    },
    Rule {
        core: true,
        when: When::Check(&["*"], |call, _| {
            let overwrites = matches!(
                call.name.as_str(),
                "shred"
                    | "gshred"
                    | "wipe"
                    | "srm"
                    | "tee"
                    | "cp"
                    | "truncate"
                    | "fallocate"
                    | "sponge"
                    | "install"
                    | "mv"
                    | "rm"
                    | "qemu-img"
                    | "scrub"
                    | "nwipe"
                    | "ddrescue"
            );
            // `-n 3`, but not `-vz DISK`.
            let valued = if call.name.ends_with("shred") { "-n -s" } else { "-s" };
            let targets = if overwrites { flags(&call.args, valued).operands } else { Vec::new() };
            let gone = |path: &str| path == "/dev/null" && call.name == "rm";
            targets.iter().any(|arg| gone(&arg.text))
                || call.writes.iter().any(|write| is_disk(&write.path))
                || targets.iter().any(|arg| is_disk(&arg.text))
        }),
        denied: &[
            "cat x > /dev/sda",
            "tee /dev/sda < img",
            "shred -n 3 -vz /dev/sdb",
            "cp img /dev/disk2",
            "rm -f /dev/null",
        ],
        allowed: &["echo x > /dev/null", "echo err > /dev/stderr", "shred -u /tmp/secret.txt", "ls > /dev/tty"],
        ..deny("device-write", "it overwrites a disk", "write to a file: `cp img disk.img`")
    },
];
