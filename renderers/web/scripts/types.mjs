// Types from the published schema, and the small table that says which payload keys a card cannot do without.
// `--check` compares with the committed files instead of writing them.
import { compile } from "json-schema-to-typescript";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const SCHEMA = new URL("../../../frontend_contract/schema/contract.v1.json", import.meta.url);
const TYPES = new URL("../src/contract.gen.ts", import.meta.url);
const TABLE = new URL("../src/required.gen.ts", import.meta.url);
const NOTE = "// Generated from frontend_contract/schema/contract.v1.json by `npm run types`. Do not edit.\n";

const schema = JSON.parse(await readFile(SCHEMA, "utf8"));

/** A reference with a comment beside it would become a copy of the type (Money1, Money2, …). */
function bareRefs(node) {
  if (Array.isArray(node)) return node.map(bareRefs);
  if (node === null || typeof node !== "object") return node;
  if (typeof node.$ref === "string") return { $ref: node.$ref };
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, bareRefs(value)]));
}

const renderTypes = () =>
  compile(bareRefs(schema), "Contract", { maxItems: -1, bannerComment: NOTE.trim(), additionalProperties: false });

const kindOf = (node) => (node.$ref ? "o" : { array: "a", integer: "n", number: "n", boolean: "b", object: "o" }[node.type] ?? "s");

/** {"price_quote": {"quote_ref": "s", "lines": "a"}}: keys without a default, by JSON kind. */
function renderTable() {
  const table = {};
  for (const node of Object.values(schema.$defs)) {
    const type = node.properties?.type?.const;
    const name = node.properties?.payload?.$ref?.split("/").pop();
    if (!type || !name) continue;
    const payload = schema.$defs[name];
    const keys = (payload.required ?? []).filter((key) => !("default" in payload.properties[key]));
    table[type] = Object.fromEntries(keys.map((key) => [key, kindOf(payload.properties[key])]));
  }
  const sorted = Object.fromEntries(Object.entries(table).sort());
  return `${NOTE}export const REQUIRED: Readonly<Record<string, Readonly<Record<string, string>>>> = ${JSON.stringify(sorted, null, 1)};\n`;
}

async function settle(url, text) {
  const path = fileURLToPath(url);
  if (!process.argv.includes("--check")) return writeFile(path, text);
  const committed = await readFile(path, "utf8").catch(() => "");
  if (committed !== text) {
    console.error(`${path} is not what the schema gives: run "npm run types"`);
    process.exitCode = 1;
  }
}

await settle(TYPES, await renderTypes());
await settle(TABLE, renderTable());
