// Chromium with a person's eyes: whatever page it looks at is kept as a picture and must be usable by everybody.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { chromium } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SCREENS = process.env.GUILDHALL_TEST_SCREENS;
const PATIENCE_MS = 15_000;

// No picture of an earlier run may be taken for one of this.
rmSync(SCREENS, { recursive: true, force: true });
mkdirSync(SCREENS, { recursive: true });

export async function launch() {
  // As root, and in containers, Chromium's own sandbox cannot start; it opens nothing but the market here.
  return chromium.launch({ executablePath: process.env.GUILDHALL_TEST_CHROMIUM, args: ["--no-sandbox"] });
}

/** One person with a browser of its own; `look` is the name under which its pictures are kept. */
export class Visitor {
  static async arrive(browser, look, options = {}) {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    return new Visitor(look, context, await context.newPage());
  }

  constructor(look, context, page) {
    this.look = look;
    this.context = context;
    this.page = page;
    this.complaints = [];
    page.on("pageerror", (error) => this.complaints.push(`${error}`));
    page.on("console", (message) => {
      // A page may well be answered with 401 or 422; that is no fault of the page.
      const refused = message.text().startsWith("Failed to load resource") && message.location().url === page.url();
      if (message.type() === "error" && !refused) this.complaints.push(message.text());
    });
  }

  /** Keeps a picture of the page, and checks what no picture shows. */
  async see(name) {
    const { page } = this;
    await page.screenshot({ path: join(SCREENS, `${name}-${this.look}.png`), fullPage: true });
    const { wide, seen } = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return { wide: scrollWidth, seen: clientWidth };
    });
    assert(wide <= seen, `${name} is ${wide} pixels wide in a window of ${seen}`);
    await page.evaluate(AXE);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    const told = serious.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ html }) => html).join("\n")}`);
    assert.equal(serious.length, 0, `${name} (${this.look})\n${told.join("\n")}`);
  }

  /** Presses Tab until the focus is on what `selector` says, as somebody without a mouse does. */
  async tabTo(selector) {
    for (let presses = 0; presses < 40; presses += 1) {
      if (await this.page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
      await this.page.keyboard.press("Tab");
    }
    throw new Error(`Tab never comes to ${selector} at ${this.page.url()}`);
  }

  /** Gives the browser an authenticator that is there and knows its owner. */
  async holdPasskeys() {
    const session = await this.context.newCDPSession(this.page);
    await session.send("WebAuthn.enable");
    await session.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
  }

  /** Leaves; whatever a page complained about on the way is a fault. */
  async leave() {
    await this.context.close();
    assert.deepEqual(this.complaints, []);
  }
}
