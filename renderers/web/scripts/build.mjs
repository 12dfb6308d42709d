// Builds the bundle into bundle/. `--check` builds again and compares byte for byte with what is committed.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { build } from "esbuild";
import { spriteText } from "./sprite.mjs";

const ROOT = new URL("../", import.meta.url);
const BUNDLE = new URL("bundle/", ROOT);

/** Icons that the source names; the page has more. */
async function usedIcons() {
  const folders = ["src/", "src/cards/"];
  const files = (await Promise.all(folders.map(async (folder) => (await readdir(new URL(folder, ROOT))).map((name) => folder + name)))).flat();
  const texts = await Promise.all(files.filter((name) => name.endsWith(".tsx")).map((name) => readFile(new URL(name, ROOT), "utf8")));
  const words = new Set(texts.join("\n").match(/"[a-z]+"/g).map((word) => word.slice(1, -1)));
  return new Set([...words, "coral"]);
}

const sprite = {
  name: "sprite",
  setup(task) {
    task.onResolve({ filter: /^virtual:sprite$/ }, () => ({ path: "sprite", namespace: "sprite" }));
    task.onLoad({ filter: /.*/, namespace: "sprite" }, async () => ({ contents: await spriteText(await usedIcons()), loader: "text" }));
  },
};

const styles = {
  name: "styles",
  setup(task) {
    task.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const small = await build({ entryPoints: [path], minify: true, write: false, legalComments: "none" });
      return { contents: small.outputFiles[0].text.trim(), loader: "text" };
    });
  },
};

const SHARED = { bundle: true, minify: true, write: false, target: "es2022", legalComments: "none", absWorkingDir: new URL(".", ROOT).pathname, charset: "utf8" };

async function make() {
  const widget = await build({ ...SHARED, entryPoints: ["src/widget.tsx"], format: "esm", jsx: "automatic", jsxImportSource: "preact", plugins: [sprite, styles], mangleProps: /^#/ });
  const body = widget.outputFiles[0].text;
  const name = `widget-${createHash("sha256").update(body).digest("hex").slice(0, 12)}.js`;
  const loader = await build({ ...SHARED, entryPoints: ["src/loader.ts"], format: "iife", define: { WIDGET: JSON.stringify(name) } });
  const files = { [name]: body, "loader.js": loader.outputFiles[0].text, "sprite.svg": `<svg xmlns='http://www.w3.org/2000/svg'>${await spriteText()}</svg>\n` };
  const manifest = { "widget.js": name, "loader.js": "loader.js", "sprite.svg": "sprite.svg" };
  return { ...files, "manifest.json": `${JSON.stringify(manifest, null, 1)}\n` };
}

async function check(files) {
  const committed = (await readdir(BUNDLE)).sort();
  const names = Object.keys(files).sort();
  if (committed.join() !== names.join()) return `bundle/ holds ${committed}, a fresh build gives ${names}`;
  for (const name of names) if ((await readFile(new URL(name, BUNDLE), "utf8")) !== files[name]) return `bundle/${name} differs from a fresh build`;
  return "";
}

const files = await make();
if (process.argv.includes("--check")) {
  const fault = await check(files);
  if (fault) { console.error(`${fault}: run "npm run build" and commit bundle/`); process.exitCode = 1; }
} else {
  await rm(BUNDLE, { recursive: true, force: true });
  await mkdir(BUNDLE);
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(new URL(name, BUNDLE), text)));
}
