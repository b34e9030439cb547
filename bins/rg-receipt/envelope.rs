//! The envelope of an exported receipt: DSSE with one SSH signature. JSON of one object, on one line.

use crate::base64;
use crate::ssh_signature::{SigningKey, SshSignature};
use crate::strict_json;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use review_gate::sys::limits::RECEIPT;
use review_gate::sys::text::{cut_end, one_line};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The type of the payload.
const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// The largest envelope that is read; base64 makes a receipt a third longer.
const LIMIT: u64 = RECEIPT * 2;

/// The envelope as JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    #[serde(rename = "payloadType")]
    payload_type: String,
    payload: String,
    signatures: Vec<SignatureForm>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SignatureForm {
    #[serde(default)]
    keyid: String,
    sig: String,
}

/// An envelope that was read. Its payload is not trusted before the signature was checked.
pub struct Envelope {
    /// The bytes of the statement.
    pub payload: Vec<u8>,
    /// None if it is unsigned.
    pub signature: Option<SshSignature>,
}

/// Signs a statement and returns the envelope.
pub fn sign(statement: &[u8], key: &SigningKey) -> Result<String> {
    let signature = key.sign(&message(statement))?;
    let form = Form {
        payload_type: PAYLOAD_TYPE.to_string(),
        payload: base64::encode(statement),
        signatures: vec![SignatureForm { keyid: signature.fingerprint, sig: base64::encode(&signature.blob) }],
    };
    let text = serde_json::to_string(&form).map_err(|e| Error::stream("write the envelope", e))?;
    Ok(text + "\n")
}

/// The signed bytes: the type and the payload with their lengths (the pre-authentication encoding of DSSE).
pub fn message(payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {PAYLOAD_TYPE} {} ", PAYLOAD_TYPE.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

impl Envelope {
    /// Reads a file. Errors: it is missing or too large (111); it is no envelope of an exported receipt (100).
    pub fn read(path: &Path) -> Result<Envelope> {
        let name = one_line(&path.display().to_string());
        let bytes = files::read_following(path, LIMIT)?;
        let bytes = bytes.ok_or_else(|| Error::missing(format!("no such file: {name}")))?;
        Envelope::parse(&bytes).map_err(|why| Error::usage(format!("{name} is not an exported receipt: {why}")))
    }

    fn parse(bytes: &[u8]) -> std::result::Result<Envelope, String> {
        let value = strict_json::parse(bytes)?;
        if value.get("_type").is_some() {
            // A statement without an envelope.
            return Ok(Envelope { payload: bytes.to_vec(), signature: None });
        }
        let form: Form = serde_json::from_value(value).map_err(|error| error.to_string())?;
        if form.payload_type != PAYLOAD_TYPE {
            let found = cut_end(&one_line(&form.payload_type), 60);
            return Err(format!("its payload is {found:?}, not {PAYLOAD_TYPE:?}"));
        }
        let payload = base64::decode(&form.payload).ok_or("its payload is not base64")?;
        let signature = match form.signatures.as_slice() {
            [] => None,
            [one] => {
                let blob = base64::decode(&one.sig).ok_or("its signature is not base64")?;
                Some(SshSignature::parse(blob).ok_or("its signature is not an SSH signature")?)
            }
            more => return Err(format!("it has {} signatures, not one", more.len())),
        };
        Ok(Envelope { payload, signature })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signed_bytes_name_type_and_length() {
        assert_eq!(message(b"{}"), b"DSSEv1 28 application/vnd.in-toto+json 2 {}");
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>, sig in "[A-Za-z0-9+/=]{0,40}") {
            let _ = Envelope::parse(&bytes);
            let text = format!(r#"{{"payloadType": "{PAYLOAD_TYPE}", "payload": "", "signatures": [{{"sig": "{sig}"}}]}}"#);
            let _ = Envelope::parse(text.as_bytes());
            let _ = SshSignature::parse([&b"SSHSIG\0\0\0\x01"[..], &bytes].concat());
        }
    }
}
