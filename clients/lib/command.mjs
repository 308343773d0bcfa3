// Programs of others, as they are typed. All they say is in the log of the check.
import { spawn } from "node:child_process";
import { decide } from "./consent.mjs";
import { market } from "./market.mjs";

const PATIENCE_MS = 90_000;
const ASKS = new RegExp(`${market.issuer.replaceAll(".", "\\.")}/oauth2/authorize\\?[^\\s"]+`);

/** Runs a program to its end: its exit code and what it said. */
export async function run(program, ...args) {
  return follow(program, args, () => {});
}

/**
 * Runs a program that prints an address for its user to open, and is that user: signs in, allows, and comes back to the
 * address at which the program waits.
 */
export async function runWithUser(program, ...args) {
  let opened = null;
  const ended = await follow(program, args, (said, child) => {
    const address = said.match(ASKS)?.[0];
    if (!address || opened) return;
    opened = decide(address).then((back) => fetch(back));
    opened.catch((error) => {
      console.error(error);
      child.kill();
    });
  });
  if (!opened) throw new Error(`${program} never sent its user to the market`);
  await opened;
  return ended;
}

function follow(program, args, heard) {
  console.log(`$ ${[program, ...args].join(" ").replaceAll(/gk_agent_\w+/g, "gk_agent_…")}`);
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], timeout: PATIENCE_MS });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    child[name].setEncoding("utf8").on("data", (text) => {
      process.stdout.write(text);
      said[name] += text;
      // Only whole lines: an address may arrive in pieces.
      const lines = said[name].slice(0, said[name].lastIndexOf("\n") + 1);
      heard(lines, child);
    });
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code: code ?? signal, ...said }));
  });
}
