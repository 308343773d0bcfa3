// The official TypeScript library in its second line, in both eras of the protocol.
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { declare } from "../lib/mcp.mjs";

declare({
  Client,
  Transport: StreamableHTTPClientTransport,
  UnauthorizedError,
  ways: {
    initialize: {},
    "2026-07-28": { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    negotiated: { versionNegotiation: { mode: "auto" } },
  },
});
