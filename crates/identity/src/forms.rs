//! Forms that only those can send to whom they were shown: the hidden field of a form is sealed for one purpose, one browser
//! and a while, so that a page of another site cannot make it up.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use guildhall_core::{Secret, Timestamp};
use guildhall_store::Sealer;

use crate::error::Result;
use crate::random;

/// How long somebody may take to fill a form in.
const LIFETIME: Duration = Duration::from_mins(30);

/// Seals and opens the hidden fields of forms.
pub struct Forms {
    sealer: Sealer,
}

impl Forms {
    pub(crate) fn new(server_key: &Secret<[u8; 32]>) -> Self {
        Self { sealer: Sealer::new(server_key, "forms") }
    }

    /// A name for a browser that nobody is signed in with yet.
    pub fn visitor(&self) -> Result<String> {
        random::bytes::<32>().map(|bytes| BASE64.encode(bytes))
    }

    /// The hidden field of a form for `purpose` that is shown to `reader`; `content` comes back with it.
    pub fn seal(
        &self,
        purpose: &str,
        reader: &str,
        content: &str,
        now: Timestamp,
    ) -> Result<String> {
        let end = now.after(LIFETIME).millis().to_be_bytes();
        let sealed =
            self.sealer.seal(&[&end, content.as_bytes()].concat(), &bound(purpose, reader))?;
        Ok(BASE64.encode(sealed))
    }

    /// What was sealed, if it was for this purpose and this reader and is not too old.
    #[must_use]
    pub fn open(&self, purpose: &str, reader: &str, field: &str, now: Timestamp) -> Option<String> {
        let sealed = BASE64.decode(field).ok()?;
        let opened = self.sealer.open(&sealed, &bound(purpose, reader))?;
        let (end, content) = opened.split_first_chunk::<8>()?;
        let in_time = now < Timestamp::from_millis(i64::from_be_bytes(*end));
        in_time.then(|| String::from_utf8(content.to_vec()).ok())?
    }
}

/// Neither holds a line break, so that no two pairs run together into the same bytes.
fn bound(purpose: &str, reader: &str) -> Vec<u8> {
    format!("{purpose}\n{reader}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    #[test]
    fn opens_for_its_purpose_its_reader_and_its_time_alone() {
        let forms = Forms::new(&Secret::new([7; 32]));
        let field = forms.seal("sign-in", "browser", "content", NOW).unwrap();
        let open = |purpose, reader, field: &str, at| forms.open(purpose, reader, field, at);
        assert_eq!(open("sign-in", "browser", &field, NOW).as_deref(), Some("content"));
        assert_eq!(open("sign-up", "browser", &field, NOW), None);
        assert_eq!(open("sign-in", "another", &field, NOW), None);
        assert_eq!(open("sign-in", "browser", &field, NOW.after(LIFETIME)), None);
        assert_eq!(open("sign-in", "browser", "", NOW), None);
        assert_eq!(open("sign-in", "browser", &field.to_lowercase(), NOW), None);
        assert_ne!(field, forms.seal("sign-in", "browser", "content", NOW).unwrap());
        assert_ne!(forms.visitor().unwrap(), forms.visitor().unwrap());
    }
}
