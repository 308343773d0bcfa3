"""The authorization server as authlib sees it."""

import os
import unittest

# The market under test listens on loopback, where there is no TLS.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import httpx
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata, get_well_known_url

import market

REDIRECT_URI = "http://127.0.0.1:9/callback"
SCOPE = "read worker offline_access"


def discover() -> AuthorizationServerMetadata:
    url = get_well_known_url(market.ISSUER, external=True)
    metadata = AuthorizationServerMetadata(httpx.get(url, timeout=30).raise_for_status().json())
    metadata.validate()
    return metadata


class Flow:
    """One client, registered and on its way through the code flow."""

    def __init__(self):
        self.server = discover()
        asked = {"client_name": "authlib", "redirect_uris": [REDIRECT_URI], "token_endpoint_auth_method": "none"}
        answer = httpx.post(self.server["registration_endpoint"], json=asked, timeout=30)
        assert answer.status_code == 201, answer.text
        self.client = OAuth2Client(
            client_id=answer.json()["client_id"],
            token_endpoint_auth_method="none",
            revocation_endpoint_auth_method="none",
            redirect_uri=REDIRECT_URI,
            scope=SCOPE,
            code_challenge_method="S256",
            timeout=30,
        )
        self.verifier = generate_token(48)

    def authorize(self, **decision) -> str:
        """The address to which the user comes back."""
        url, self.state = self.client.create_authorization_url(
            self.server["authorization_endpoint"], code_verifier=self.verifier, resource=market.MCP_URL
        )
        return market.decide(url, **decision)

    def redeem(self, back: str) -> dict:
        return self.client.fetch_token(
            self.server["token_endpoint"],
            authorization_response=back,
            state=self.state,
            code_verifier=self.verifier,
            resource=market.MCP_URL,
        )

    def refresh(self, token: str) -> dict:
        return self.client.refresh_token(self.server["token_endpoint"], refresh_token=token)


class Authlib(unittest.TestCase):
    def refused(self, error: str):
        return self.assertRaisesRegex(OAuthError, error)

    def test_the_metadata_is_valid(self):
        """RFC 8414, every rule that authlib knows."""
        self.assertEqual(discover()["issuer"], market.ISSUER)

    def test_the_code_flow_gives_a_token_that_works(self):
        flow = Flow()
        back = flow.authorize()
        self.assertEqual(httpx.URL(back).params["iss"], market.ISSUER)
        tokens = flow.redeem(back)
        self.assertEqual(set(tokens["scope"].split()), set(SCOPE.split()))
        me = market.who_is(tokens["access_token"]).json()
        self.assertEqual((me["kind"], me["connection"]["auth_kind"]), ("agent", "oauth"))

    def test_a_denied_request_comes_back_as_an_error(self):
        flow = Flow()
        came = httpx.URL(flow.authorize(decision="deny")).params
        self.assertEqual((came["error"], came["state"], came["iss"]), ("access_denied", flow.state, market.ISSUER))

    def test_a_lost_answer_is_given_once_more_and_a_spent_token_ends_its_family(self):
        flow = Flow()
        first = flow.redeem(flow.authorize())
        lost = flow.refresh(first["refresh_token"])
        again = flow.refresh(first["refresh_token"])
        self.assertEqual(lost["refresh_token"], again["refresh_token"])
        third = flow.refresh(again["refresh_token"])
        with self.refused("invalid_grant"):
            flow.refresh(first["refresh_token"])
        with self.refused("invalid_grant"):
            flow.refresh(third["refresh_token"])
        self.assertEqual(market.who_is(third["access_token"]).status_code, 401)

    def test_a_revoked_token_is_dead_at_once(self):
        flow = Flow()
        tokens = flow.redeem(flow.authorize())
        answer = flow.client.revoke_token(flow.server["revocation_endpoint"], token=tokens["refresh_token"])
        self.assertEqual(answer.status_code, 200, answer.text)
        self.assertEqual(market.who_is(tokens["access_token"]).status_code, 401)


if __name__ == "__main__":
    # The libraries leave it to the process to close their sockets.
    unittest.main(verbosity=2, warnings="ignore")
