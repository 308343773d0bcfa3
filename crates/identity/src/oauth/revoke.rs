//! Revocation (RFC 7009): a client gives its tokens back.

use guildhall_core::{ConnectionId, Timestamp};
use guildhall_store::Tx;

use super::family;
use super::parameters::{ClientProof, Parameters};
use super::refused::Denied;
use super::secrets;
use crate::error::{Error, Result};
use crate::service::Identity;

impl Identity {
    /// Ends a token of the client: with a refresh token its whole family, with an access token the access tokens. One that
    /// is not known, or of another client, is as good as ended.
    pub async fn revoke(
        &self,
        parameters: &Parameters<'_>,
        proof: &ClientProof,
    ) -> Result<(), Denied> {
        let client = self.prove(parameters, proof).await?;
        let (token, now) = (parameters.needed("token")?, self.now());
        let digest = secrets::digest(token);
        let access = self.oauth.access.read(token, now).await;
        let access = access.filter(|claims| claims.client_id == client.client_id);
        let done = match access {
            Some(claims) => {
                let (connection, epoch) = (claims.connection_id, claims.epoch);
                self.db.write("oauth_revoke", move |tx| end_access(tx, connection, epoch)).await
            }
            None => {
                let client_id = client.client_id;
                self.db.write("oauth_revoke", move |tx| end_family(tx, &digest, &client_id, now)).await
            }
        };
        Ok(done?)
    }
}

fn end_family(tx: &mut Tx<'_>, digest: &[u8; 32], client_id: &str, now: Timestamp) -> Result<()> {
    let found: Option<ConnectionId> = tx.find_oauth_refresh_connection(digest)?;
    let Some(connection) = found else { return Ok(()) };
    let Some(held) = tx.lock_connection(connection)? else { return Ok(()) };
    let token = tx.lock_oauth_refresh_token(digest)?;
    if token.is_some_and(|token| token.family.client_id == client_id) {
        family::end(tx, held, now)?;
    }
    Ok(())
}

fn end_access(tx: &mut Tx<'_>, connection: ConnectionId, epoch: u32) -> Result<()> {
    if let Some(mut held) = tx.lock_connection(connection)?
        && held.grant.epoch == epoch
    {
        family::end_access(tx, &mut held).map_err(Error::from)?;
    }
    Ok(())
}
