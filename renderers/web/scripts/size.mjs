// The budget: what a customer's phone has to fetch, gzipped.
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

const BUNDLE = new URL("../bundle/", import.meta.url);
const LIMITS = { "loader.js": 1024, "widget.js": 20 * 1024 };
const manifest = JSON.parse(await readFile(new URL("manifest.json", BUNDLE), "utf8"));

for (const [name, limit] of Object.entries(LIMITS)) {
  const body = await readFile(new URL(manifest[name], BUNDLE));
  const size = name === "loader.js" ? body.length : gzipSync(body, { level: 9 }).length;
  console.log(`${name}: ${body.length} bytes, ${gzipSync(body, { level: 9 }).length} gzipped, limit ${limit}`);
  if (size > limit) process.exitCode = 1;
}
