"""The MCP endpoint as the official Python library sees it, in both eras of the protocol."""

import json
import unittest
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

import market

MODES = ("legacy", "2026-07-28", "auto")
REDIRECT_URI = "http://127.0.0.1:9/callback"


class Kept:
    """What the library keeps about itself and its user, in memory."""

    def __init__(self):
        self.tokens = None
        self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


class User:
    """The library's user, at the service's own pages."""

    async def open(self, address: str) -> None:
        self.back = market.decide(address)

    async def come_back(self) -> AuthorizationCodeResult:
        query = parse_qs(urlsplit(self.back).query)
        return AuthorizationCodeResult(
            **{name: query[name][0] for name in ("code", "state", "iss") if name in query}
        )


def by_consent() -> OAuthClientProvider:
    user = User()
    metadata = OAuthClientMetadata(client_name="Official Python client", redirect_uris=[REDIRECT_URI])
    return OAuthClientProvider(market.MCP_URL, metadata, Kept(), user.open, user.come_back)


class OfficialClient(unittest.IsolatedAsyncioTestCase):
    async def list_and_call(self, mode: str, **how) -> dict:
        """Lists the tools and calls `whoami`, which the library validates against the tool's own schema."""
        async with httpx2.AsyncClient(timeout=30, **how) as http:
            transport = streamable_http_client(market.MCP_URL, http_client=http)
            async with Client(transport, mode=mode) as client:
                tools = (await client.list_tools()).tools
                self.assertIn("whoami", [tool.name for tool in tools])
                answer = await client.call_tool("whoami", {})
        self.assertFalse(answer.is_error, answer)
        self.assertEqual(json.loads(answer.content[0].text), answer.structured_content)
        return answer.structured_content

    async def test_a_key_lists_and_calls(self):
        for mode in MODES:
            with self.subTest(mode):
                me = await self.list_and_call(mode, headers={"x-api-key": market.AGENT["api_key"]})
                self.assertEqual(me["agent_id"], market.AGENT["agent_id"])

    async def test_an_owners_consent_lists_and_calls(self):
        for mode in MODES:
            with self.subTest(mode):
                me = await self.list_and_call(mode, auth=by_consent())
                self.assertEqual((me["kind"], me["connection"]["auth_kind"]), ("agent", "oauth"))


if __name__ == "__main__":
    # The libraries leave it to the process to close their sockets.
    unittest.main(verbosity=2, warnings="ignore")
