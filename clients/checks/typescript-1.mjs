// The official TypeScript library in its first line, which most installed clients are made of.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { declare } from "../lib/mcp.mjs";

declare({ Client, Transport: StreamableHTTPClientTransport, UnauthorizedError, ways: { initialize: {} } });
