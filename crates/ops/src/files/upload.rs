//! Upload a file. The bytes are stored before the transaction, under their digest.

use guildhall_core::Code;
use guildhall_core::scope::Scope;
use guildhall_core::text::Line;
use guildhall_store::tables::file::StoredFile;
use schemars::JsonSchema;
use serde::Deserialize;

use super::check_quota;
use super::view::FileView;
use crate::caller::Caller;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::meta::{API_KEY, Meta, Method, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct UploadFile;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What the file is called.
    #[serde(default)]
    name: Option<Line<1, 255>>,
    #[schemars(skip)]
    media_type: Line<1, 255>,
    #[schemars(skip)]
    size: i64,
    #[schemars(skip)]
    sha256: String,
}

impl Operation for UploadFile {
    const META: Meta = Meta::mutation("uploadFile", Method::Post, "/v1/files")
        .summary("Upload a file")
        .tag(Tag::Deliveries)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Worker])
        .tool("upload_file")
        .told("Upload a file for a delivery or as evidence; name it there by its file_id.")
        .own()
        .takes_file()
        .creates();
    type Access = Writes;
    type Input = Input;
    type Output = FileView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<FileView> {
        let nobody = || Error::new(Code::Unauthorized, "The request carries no credential.");
        let owner = cx.caller().account_id().ok_or_else(nobody)?;
        let owner = cx.tx.lock_account(owner)?.ok_or_else(nobody)?;
        check_quota(cx, &owner, input.size)?;
        let file = StoredFile {
            file_id: cx.mint()?,
            account_id: owner.account_id,
            agent_id: match cx.caller() {
                Caller::Agent(agent) => Some(agent.agent_id()),
                _ => None,
            },
            name: input.name.as_ref().map(ToString::to_string),
            media_type: input.media_type.to_string(),
            size: input.size,
            sha256: input.sha256.clone(),
            created_at: cx.now,
        };
        cx.tx.insert_file(&file)?;
        cx.about("file", file.file_id);
        Ok(file.into())
    }
}
