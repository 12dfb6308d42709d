// The budget in bytes: what a customer's phone has to fetch, gzipped one by one as a server sends it.
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

const BUNDLE = new URL("../bundle/", import.meta.url);
const LIMITS = { "loader.js": 1024, widget: 20 * 1024, cards: 20 * 1024 };
const manifest = JSON.parse(await readFile(new URL("manifest.json", BUNDLE), "utf8"));

for (const [part, limit] of Object.entries(LIMITS)) {
  const bodies = await Promise.all(manifest[part].map((name) => readFile(new URL(name, BUNDLE))));
  const raw = bodies.reduce((sum, body) => sum + body.length, 0);
  const small = bodies.reduce((sum, body) => sum + gzipSync(body, { level: 9 }).length, 0);
  const counted = part === "loader.js" ? raw : small;
  console.log(`${part}: ${raw} bytes, ${small} gzipped, limit ${limit}${counted > limit ? "  TOO LARGE" : ""}`);
  if (counted > limit) process.exitCode = 1;
}
