//! Read a file. The operation says which bytes are meant, and the surface sends them.

use guildhall_core::scope::Scope;
use guildhall_core::{FileId, FileKind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::may_read;
use super::view::FileView;
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::meta::{API_KEY, Meta, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetFile;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The file.
    file_id: FileId,
}

impl Operation for GetFile {
    const META: Meta = Meta::query("getFile", "/v1/files/{file_id}")
        .summary("Read a file")
        .tag(Tag::Deliveries)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read])
        .tool("read_file")
        .told("Read a file of a task you are party to: text as text, anything else in base64.")
        .single()
        .serves_file();
    type Access = Reads;
    type Input = Input;
    type Output = FileView;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<FileView> {
        let file = cx.tx.find_file(input.file_id)?.or_missing::<FileKind>()?;
        let readable = may_read(cx.tx, cx.setting.caller, &file)?;
        readable.then_some(file).or_missing::<FileKind>().map(FileView::from)
    }
}
