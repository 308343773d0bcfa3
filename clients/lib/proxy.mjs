// A loopback proxy that adds an API key, for clients that cannot be told one. Whoever asks for the proxy's own address
// is passed on as if it had asked for the market's; every other Host and Origin arrives as it was sent.
import { once } from "node:events";
import { createServer, request as begin } from "node:http";

/** Starts one in front of `target`; gives its address and how to stop it. */
export async function proxy(target, key) {
  const { hostname, port, host, origin } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const own = ["127.0.0.1", "localhost"].map((name) => `${name}:${server.address().port}`);
    const headers = { ...incoming.headers, "x-api-key": key };
    if (own.includes(headers.host)) headers.host = host;
    if (own.some((name) => headers.origin === `http://${name}`)) headers.origin = origin;
    const { method, url: path } = incoming;
    const passed = begin({ host: hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", (error) => {
      if (!outgoing.headersSent) outgoing.writeHead(502);
      outgoing.end(`${error}`);
    });
    // Whoever hangs up on the proxy hangs up on the market.
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}
