//! Laws of exported receipts: what a signer exports verifies in another clone for the same files, and nothing else does.

use crate::scratch::{Said, Scratch, feed, skipped};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

/// A repository whose last commit was judged, keys, and another clone; the exported receipt is `../r.json`. None without ssh-keygen.
fn exported() -> Option<Scratch> {
    let scratch = judged("fixed\n")?;
    scratch.ok("git commit -qam fixed && rg-receipt export >../r.json && git clone -q . ../clone");
    Some(scratch)
}

/// A repository with a signing key whose session stopped with that text in src.txt, not yet committed.
fn judged(text: &str) -> Option<Scratch> {
    let scratch = Scratch::repo();
    if !fs::exists("/usr/bin/ssh-keygen").unwrap() && scratch.sh("command -v ssh-keygen", b"").status != 0 {
        skipped("no ssh-keygen");
        return None;
    }
    scratch.ok("mkdir ../keys && for k in ada bob; do ssh-keygen -q -t ed25519 -N '' -C $k -f ../keys/$k; done");
    scratch.ok("echo \"ada@example.org $(cat ../keys/ada.pub)\" >../signers");
    scratch.ok("git config gpg.format ssh && git config user.signingkey ../keys/ada");
    scratch.prompt("s", "go");
    scratch.append("src.txt", text);
    scratch.stop("s");
    Some(scratch)
}

/// Verifies a file in the other clone.
fn verify(scratch: &Scratch, args: &str) -> Said {
    scratch.sh(&format!("cd ../clone && RG_STATE=\"$PWD/../other-state\" rg-receipt verify {args}"), b"")
}

const GOOD: &str = "../r.json --commit HEAD --allowed-signers ../signers";

/// Changes the envelope of the exported receipt.
fn edit(scratch: &Scratch, change: impl FnOnce(&mut Value)) {
    let path = scratch.top().join("r.json");
    let mut envelope: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut envelope);
    fs::write(path, envelope.to_string()).unwrap();
}

/// The statement in the exported receipt.
fn statement(scratch: &Scratch) -> Value {
    let said = scratch.ok(
        "python3 -c 'import json,base64; print(base64.b64decode(json.load(open(\"../r.json\"))[\"payload\"]).decode())'",
    );
    said.json()
}

fn has_python(scratch: &Scratch) -> bool {
    let there = scratch.sh("python3 -c 'import json'", b"").status == 0;
    if !there {
        skipped("no python3");
    }
    there
}

#[test]
fn an_exported_receipt_verifies_in_another_clone() {
    let Some(scratch) = exported() else { return };
    let said = verify(&scratch, GOOD);
    assert_eq!((said.status, &*said.err), (0, ""), "{said:?}");
    let lines: Vec<&str> = said.out.lines().collect();
    assert!(lines[1].starts_with("ok  signature  ada@example.org, SHA256:"), "{said:?}");
    assert!(lines[2].ends_with(": its clean checkout has the judged files"), "{said:?}");
    assert!(lines[3].starts_with("ok  outcome    done: "), "{said:?}");
    assert!(!scratch.top().join("other-state").exists(), "to verify leaves no records");
    scratch.ok("git -C ../clone config gpg.ssh.allowedSignersFile ../signers");
    assert_eq!(verify(&scratch, "../r.json").status, 0, "the commit is HEAD and the signers are git's");
    scratch.ok("git -C ../clone commit -q --amend -m 'another message'");
    assert_eq!(verify(&scratch, GOOD).status, 0, "a receipt is about files, not about a message");
}

#[test]
fn the_statement_is_in_totos_and_names_the_tree_and_the_evidence() {
    let Some(scratch) = exported() else { return };
    if !has_python(&scratch) {
        return;
    }
    let statement = statement(&scratch);
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    let tree = scratch.ok("git rev-parse HEAD^{tree}").out;
    let snapshot = scratch.receipt()["snapshot"].clone();
    let subject = json!([{"name": "tree", "digest": {"gitTree": tree.trim()}}, {"name": "snapshot", "digest": {"sha256": snapshot}}]);
    assert_eq!(statement["subject"], subject);
    let predicate = &statement["predicate"];
    assert_eq!((&predicate["outcome"], &predicate["checks"][0]["run"]), (&json!("done"), &json!("sh test.sh")));
    assert_eq!(predicate["verdicts"].as_array().unwrap().len(), 2);
    for local in ["session", "task", "root", "event"] {
        assert!(predicate[local].is_null(), "{local}: {predicate}");
    }
    let text = predicate.to_string();
    assert!(!text.contains(scratch.top().to_str().unwrap()), "no path of this machine: {text}");
}

#[test]
fn the_signature_is_one_that_ssh_keygen_verifies() {
    let Some(scratch) = exported() else { return };
    if !has_python(&scratch) {
        return;
    }
    let program = "import json,base64,textwrap\n\
        e=json.load(open('../r.json')); t=e['payloadType'].encode(); p=base64.b64decode(e['payload'])\n\
        open('../message','wb').write(b'DSSEv1 %d %s %d %s' % (len(t), t, len(p), p))\n\
        open('../sig','w').write('-----BEGIN SSH SIGNATURE-----\\n'+'\\n'.join(textwrap.wrap(e['signatures'][0]['sig'],70))+'\\n-----END SSH SIGNATURE-----\\n')\n";
    scratch.write("../read.py", program);
    scratch.ok("python3 ../read.py");
    let line = "ssh-keygen -Y verify -f ../signers -I ada@example.org -n review-gate-receipt -s ../sig <../message";
    let said = scratch.ok(line);
    assert!(said.out.starts_with("Good \"review-gate-receipt\" signature for ada@example.org"), "{said:?}");
    scratch.ok("ssh-keygen -lf ../keys/ada.pub | grep -qF \"$(python3 -c 'import json;print(json.load(open(\"../r.json\"))[\"signatures\"][0][\"keyid\"])')\"");
}

#[test]
fn one_changed_byte_is_refused() {
    let Some(scratch) = exported() else { return };
    let path = scratch.top().join("r.json");
    let whole = fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 40).chain([whole.len() - 2]) {
        let mut bytes = whole.clone();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        fs::write(&path, bytes).unwrap();
        let said = verify(&scratch, GOOD);
        // The key id is a hint that no signature covers.
        let is_hint = String::from_utf8_lossy(&whole[..at]).contains("\"keyid\":\"")
            && !String::from_utf8_lossy(&whole[..at]).contains("\",\"sig\"");
        assert!(is_hint || matches!(said.status, 1 | 100), "byte {at}: {said:?}");
    }
    fs::write(&path, &whole).unwrap();
    edit(&scratch, |envelope| {
        let payload = envelope["payload"].as_str().unwrap();
        let other = payload.replacen("eyJf", "eyJg", 1);
        assert_ne!(payload, other);
        envelope["payload"] = other.into();
    });
    let said = verify(&scratch, GOOD);
    assert!(said.status == 1 && said.out.starts_with("NO  signature  does not match the statement: "), "{said:?}");
    assert!(!said.out.contains("outcome"), "a statement that nobody signed is not shown: {said:?}");
}

#[test]
fn another_signer_another_commit_and_an_expired_key_are_refused() {
    let Some(scratch) = exported() else { return };
    scratch.ok("echo \"bob@example.org $(cat ../keys/bob.pub)\" >../others");
    scratch.ok("echo \"ada@example.org valid-before=\\\"20200101\\\" $(cat ../keys/ada.pub)\" >../expired");
    scratch.ok("echo \"ada@example.org namespaces=\\\"git\\\" $(cat ../keys/ada.pub)\" >../commits; : >../empty");
    for (signers, why) in [
        ("others", "no allowed signer"),
        ("empty", "no allowed signer"),
        ("expired", "key has expired"),
        ("commits", "not permitted for use in signature namespace"),
    ] {
        let said = verify(&scratch, &format!("../r.json --commit HEAD --allowed-signers ../{signers}"));
        assert!(said.status == 1 && said.out.contains(why) && said.out.lines().count() == 1, "{signers}: {said:?}");
    }
    let said = verify(&scratch, "../r.json --commit HEAD~1 --allowed-signers ../signers");
    assert!(said.status == 1 && said.out.contains("NO  commit     "), "{said:?}");
    assert!(said.out.contains("the receipt is about "), "{said:?}");
    // The same files and one more bit.
    scratch.ok("cd ../clone && chmod +x test.sh && git commit -qam mode");
    assert_eq!(verify(&scratch, GOOD).status, 1);
}

#[test]
fn a_signature_for_another_purpose_is_refused() {
    let Some(scratch) = exported() else { return };
    if !has_python(&scratch) {
        return;
    }
    let program = "import json,base64,subprocess\n\
        e=json.load(open('../r.json')); t=e['payloadType'].encode(); p=base64.b64decode(e['payload'])\n\
        m=b'DSSEv1 %d %s %d %s' % (len(t), t, len(p), p)\n\
        s=subprocess.run(['ssh-keygen','-Y','sign','-n','git','-f','../keys/ada'],input=m,capture_output=True).stdout.decode()\n\
        e['signatures'][0]['sig']=''.join(s.splitlines()[1:-1]); json.dump(e,open('../r.json','w'))\n";
    scratch.write("../resign.py", program);
    scratch.ok("python3 ../resign.py");
    let said = verify(&scratch, GOOD);
    let want = "NO  signature  made for the namespace \"git\", not \"review-gate-receipt\"\n";
    assert_eq!((said.status, &*said.out), (1, want), "{said:?}");
}

#[test]
fn an_unsigned_receipt_could_not_be_judged_and_says_so() {
    let Some(scratch) = exported() else { return };
    let want = "--  signature  none: it is unsigned. Anyone could have written it\n";
    if has_python(&scratch) {
        let bare = statement(&scratch).to_string();
        fs::write(scratch.top().join("bare.json"), bare).unwrap();
        let said = verify(&scratch, "../bare.json --commit HEAD --allowed-signers ../signers");
        assert_eq!((said.status, &*said.out), (111, want), "{said:?}");
    }
    edit(&scratch, |envelope| envelope["signatures"] = json!([]));
    let said = verify(&scratch, GOOD);
    assert_eq!((said.status, &*said.out), (111, want), "{said:?}");
}

#[test]
fn hostile_files_are_refused() {
    let Some(scratch) = exported() else { return };
    let path = scratch.top().join("r.json");
    let whole = fs::read_to_string(&path).unwrap();
    let envelope: Value = serde_json::from_str(&whole).unwrap();
    let signature = envelope["signatures"][0].to_string();
    let refused = |text: &[u8], status: i32, why: &str| {
        fs::write(&path, text).unwrap();
        let said = verify(&scratch, GOOD);
        let start: String = String::from_utf8_lossy(text).chars().take(80).collect();
        assert_eq!((said.status, &*said.out), (status, ""), "{start}: {said:?}");
        assert!(said.err.contains(why) && said.err.lines().count() == 1, "{start}: {said:?}");
        assert!(said.took < Duration::from_secs(20), "{said:?}");
    };
    for end in [0, 1, 40, whole.len() / 2, whole.len() - 3] {
        refused(&whole.as_bytes()[..end], 100, "is not an exported receipt: ");
    }
    refused(whole.replacen('{', "{\"payload\": \"e30=\",", 1).as_bytes(), 100, "duplicate field \"payload\"");
    refused(
        whole.replace("in-toto+json", "other+json").as_bytes(),
        100,
        "its payload is \"application/vnd.other+json\"",
    );
    refused(whole.replacen('{', "{\"more\": 1,", 1).as_bytes(), 100, "unknown field");
    refused(
        whole.replace(&signature, &format!("{signature},{signature}")).as_bytes(),
        100,
        "it has 2 signatures, not one",
    );
    refused(whole.replace("\"sig\":\"U", "\"sig\":\"V").as_bytes(), 100, "its signature is not an SSH signature");
    refused("[".repeat(1 << 20).as_bytes(), 100, "recursion limit");
    refused(b"\xff\xfe\0", 100, "is not an exported receipt: ");
    fs::File::create(&path).unwrap().set_len(100 << 20).unwrap();
    let said = verify(&scratch, GOOD);
    assert!(said.status == 111 && said.err.contains("is larger than 32 MiB"), "{said:?}");
    scratch.ok("rm ../r.json && mkfifo ../r.json");
    assert!(verify(&scratch, GOOD).status == 111);
    assert_eq!(verify(&scratch, "../absent --commit HEAD --allowed-signers ../signers").status, 111);
    // The file of allowed signers is not waited for.
    fs::remove_file(&path).unwrap();
    fs::write(&path, &whole).unwrap();
    let said = verify(&scratch, "../r.json --allowed-signers ../clone");
    assert!(said.status == 111 && said.err.contains("a directory"), "{said:?}");
    scratch.ok("mkfifo ../fifo");
    assert_eq!(verify(&scratch, "../r.json --allowed-signers ../fifo").status, 111);
    assert_eq!(verify(&scratch, "../r.json --allowed-signers ../absent").status, 111);
    assert_eq!(verify(&scratch, "../r.json").status, 111, "no signers are configured");
}

#[test]
fn a_signed_text_that_is_no_receipt_is_refused() {
    let Some(scratch) = exported() else { return };
    if !has_python(&scratch) {
        return;
    }
    let program = "import json,base64,subprocess,sys\n\
        e=json.load(open('../r.json')); t=e['payloadType'].encode(); p=eval(sys.argv[1])(base64.b64decode(e['payload']))\n\
        m=b'DSSEv1 %d %s %d %s' % (len(t), t, len(p), p)\n\
        s=subprocess.run(['ssh-keygen','-Y','sign','-n','review-gate-receipt','-f','../keys/ada'],input=m,capture_output=True).stdout.decode()\n\
        e['payload']=base64.b64encode(p).decode(); e['signatures'][0]['sig']=''.join(s.splitlines()[1:-1])\n\
        json.dump(e,open('../s.json','w'))\n";
    scratch.write("../sign.py", program);
    let verified = |change: &str| {
        let mut command = scratch.command("python3");
        let said = feed(command.args(["../sign.py", &format!("lambda p: {change}")]), b"");
        assert_eq!(said.status, 0, "{change}: {said:?}");
        verify(&scratch, "../s.json --commit HEAD --allowed-signers ../signers")
    };
    assert_eq!(verified("p").status, 0);
    for change in [
        "b'{}'",
        "b'not JSON'",
        "p.replace(b'Statement/v1', b'Statement/v0.1')",
        "p.replace(b'/receipt/v1', b'/receipt/v2')",
        "p.replace(b'\"outcome\":\"done\"', b'\"outcome\":\"not-done\",\"outcome\":\"done\"')",
        "p.replace(b'\"outcome\":\"done\"', b'\"outcome\":\"DONE\"')",
    ] {
        let said = verified(change);
        assert_eq!((said.status, &*said.out), (100, ""), "{change}: {said:?}");
    }
    for change in [
        "p.replace(b'\"outcome\":\"done\"', b'\"outcome\":\"not-done\"')",
        "p.replace(b'\"partial\":false', b'\"partial\":true')",
        "p.replace(b'\"kind\":\"stop\"', b'\"kind\":\"subagent-stop\"')",
    ] {
        let said = verified(change);
        assert!(said.status == 1 && said.out.contains("NO  outcome"), "{change}: {said:?}");
    }
    let waived = "p.replace(b'\"outcome\":\"done\"', b'\"outcome\":\"waived\"')";
    assert_eq!(verified(waived).status, 0);
    assert_eq!(verify(&scratch, "../s.json --strict --allowed-signers ../signers").status, 1);
}

#[test]
fn only_sealed_work_that_is_done_is_exported() {
    let Some(scratch) = judged("still broken\n") else { return };
    let refused = |why: &str| {
        let said = scratch.sh("rg-receipt export", b"");
        assert_eq!((said.status, &*said.out), (1, ""), "{said:?}");
        assert!(said.err.contains(why), "{said:?}");
    };
    refused("no receipt covers the files of commit ");
    scratch.ok("git commit -qam broken");
    refused(" is not-done: ");
    scratch.append("src.txt", "fixed\n");
    scratch.stop("s");
    refused(" is not-done: ");
    scratch.ok("git commit -qam fixed && rg-receipt export --commit HEAD");
    assert_eq!(scratch.sh("rg-receipt export --commit HEAD~1", b"").status, 1);
    assert_eq!(scratch.sh("rg-receipt export --commit nowhere", b"").status, 100);
    let file = scratch.state().join(scratch.records("receipt").last().unwrap()["file"].as_str().unwrap());
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("1 check passed", "2 checks passed")).unwrap();
    refused("differs from what was sealed");
}

#[test]
fn a_manual_receipt_is_not_exported() {
    let Some(scratch) = judged("fixed\n") else { return };
    scratch.ok("git commit -qam fixed && rm -r ../state && rg-event stop --against HEAD~1 | rg-tamper | rg-check | rg-receipt | rg-answer");
    let said = scratch.sh("rg-receipt export", b"");
    assert!(said.status == 1 && said.err.contains("manual receipt: not sealed"), "{said:?}");
}

#[test]
fn without_a_usable_key_nothing_is_exported() {
    let Some(mut scratch) = judged("fixed\n") else { return };
    scratch.ok("git commit -qam fixed");
    let fails = |scratch: &Scratch, why: &str| {
        let said = scratch.sh("rg-receipt export", b"");
        assert_eq!((said.status, &*said.out), (111, ""), "{said:?}");
        assert!(said.err.contains(why) && said.err.lines().count() == 1, "{why}: {said:?}");
    };
    for key in ["-Y", "--help", "../keys/no such", "../keys/a\nb", "~/none", "ssh-ed25519 AAAA", "key::x"] {
        let mut command = scratch.command("git");
        assert!(command.args(["config", "user.signingkey", key]).status().unwrap().success());
        fails(&scratch, "unable to sign with ");
    }
    scratch.ok("cp ../keys/ada '../keys/-a\nb' && git config user.signingkey '../keys/-a\nb'");
    assert_eq!(scratch.sh("rg-receipt export", b"").status, 0, "any path is a path");
    scratch.ok("git config --unset user.signingkey");
    fails(&scratch, "no signing key");
    scratch.ok("git config gpg.format openpgp");
    fails(&scratch, "gpg.format is openpgp");
    scratch.ok("git config gpg.format ssh && git config user.signingkey ../keys/ada && mkdir ../bin");
    let path = scratch.env["PATH"].clone();
    // Only git, without ssh-keygen.
    scratch.ok("ln -s \"$(command -v git)\" \"$(command -v rg-receipt)\" ../bin");
    let bin = scratch.top().join("bin");
    let receipt = bin.join("rg-receipt").to_str().unwrap().to_string();
    scratch.set("PATH", bin.to_str().unwrap());
    let said = scratch.run(&receipt, &["export"], b"");
    assert!(said.status == 111 && said.err.contains("ssh-keygen is not on PATH"), "{said:?}");
    let fake = bin.join("ssh-keygen");
    fs::write(&fake, "#!/bin/sh\nexec /bin/sleep 600\n").unwrap();
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
    scratch.set("PATH", &format!("{}:{path}", bin.display()));
    let said = scratch.sh("rg-receipt export", b"");
    assert!(said.status == 111 && said.err.contains("ssh-keygen did not end within 20 s"), "{said:?}");
    assert!(said.took < Duration::from_secs(40), "{said:?}");
}

#[test]
fn the_key_may_be_in_the_agent() {
    let Some(scratch) = judged("fixed\n") else { return };
    if scratch.sh("command -v ssh-agent ssh-add", b"").status != 0 {
        return skipped("no ssh-agent");
    }
    scratch.ok("git commit -qam fixed && git config user.signingkey \"key::$(cat ../keys/ada.pub)\"");
    scratch.ok("git clone -q . ../clone && cp ../keys/ada ../key && rm ../keys/ada && ssh-agent sh -c 'ssh-add -q ../key && rg-receipt export' >../r.json");
    assert_eq!(verify(&scratch, GOOD).status, 0);
}

#[test]
fn options_of_another_form_are_usage_errors() {
    let scratch = Scratch::repo();
    for args in
        ["verify --allowed-signers x", "verify --strict", "export 01M8", "verify a.json --task x", "export --strict"]
    {
        let said = scratch.sh(&format!("rg-receipt {args}"), b"");
        assert_eq!(said.status, 100, "{args}: {said:?}");
    }
}
