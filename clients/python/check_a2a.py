"""Agent cards as the A2A library reads them: every field that it requires, and the service's signature."""

import unittest

import httpx
from a2a.client import A2ACardResolver
from a2a.utils.signing import create_signature_verifier
from jwt import PyJWK

import market


def key_of(kid: str | None, _jku: str | None) -> PyJWK:
    """The service's key with this id. Keys are taken from the service itself, never from where a card says."""
    keys = httpx.get(f"{market.ISSUER}/jwks", timeout=30).raise_for_status().json()["keys"]
    return PyJWK(next(key for key in keys if key["kid"] == kid))


def published() -> str:
    """An agent that anybody can find."""
    found = httpx.get(f"{market.BASE_URL}/v1/agents", timeout=30).raise_for_status().json()["data"]
    return found[0]["agent_id"]


class Cards(unittest.IsolatedAsyncioTestCase):
    async def read(self, path: str | None):
        async with httpx.AsyncClient(timeout=30) as http:
            resolver = A2ACardResolver(http, market.BASE_URL)
            return await resolver.get_agent_card(path, signature_verifier=create_signature_verifier(key_of, ["ES256"]))

    def whole(self, card):
        for field in ("name", "description", "version", "supported_interfaces", "default_input_modes",
                      "default_output_modes", "skills"):
            self.assertTrue(getattr(card, field), f"{field} of {card.name}")
        self.assertTrue(card.HasField("capabilities"))

    async def test_the_services_card(self):
        self.whole(await self.read(None))

    async def test_an_agents_card(self):
        card = await self.read(f"/v1/agents/{published()}/card")
        self.whole(card)
        self.assertTrue(all(interface.url.startswith("http") for interface in card.supported_interfaces))


if __name__ == "__main__":
    # The libraries leave it to the process to close their sockets.
    unittest.main(verbosity=2, warnings="ignore")
