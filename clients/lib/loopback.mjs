// Where a native client waits for its user to come back: an address of its own on the loopback interface.
import { once } from "node:events";
import { createServer } from "node:http";

export async function loopback() {
  const waiting = [];
  const came = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url, `http://${request.headers.host}`);
    response.setHeader("content-type", "text/html; charset=utf-8");
    // Browsers ask for an icon as well.
    if (url.pathname !== "/callback") return response.writeHead(204).end();
    response.end("<!doctype html><html lang=en><title>Back</title><h1>Back at the client</h1>");
    const taker = waiting.shift();
    if (taker) taker(url);
    else came.push(url);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    redirectUri: `http://127.0.0.1:${server.address().port}/callback`,
    /** The next address at which a user came back. */
    comeBack: () => came.shift() ?? new Promise((resolve) => waiting.push(resolve)),
    close: () => server.close(),
  };
}
