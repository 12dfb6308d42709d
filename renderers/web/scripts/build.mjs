// Builds the bundle into bundle/. `--check` builds again and compares byte for byte with what is committed.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { iconText, namedIcons, vehicleText } from "./sprite.mjs";

const ROOT = new URL("../", import.meta.url);
const BUNDLE = new URL("bundle/", ROOT);

const read = (name) => readFile(new URL(name, ROOT), "utf8");
const sources = async (folder) => Promise.all((await readdir(new URL(folder, ROOT))).filter((name) => name.endsWith(".tsx")).sort().map((name) => read(folder + name)));

/** Two texts of drawings: what the panel needs, and what only cards need. */
const panelIcons = async () => namedIcons(await sources("src/"), ["coral"]);
const sprites = {
  sprite: async () => iconText(await panelIcons()),
  drawings: async () => {
    const there = await panelIcons();
    const more = await namedIcons(await sources("src/cards/"));
    return (await vehicleText()) + (await iconText(new Set([...more].filter((name) => !there.has(name)))));
  },
};

const drawings = {
  name: "drawings",
  setup(task) {
    task.onResolve({ filter: /^virtual:/ }, ({ path }) => ({ path: path.slice(8), namespace: "drawings" }));
    task.onLoad({ filter: /.*/, namespace: "drawings" }, async ({ path }) => ({ contents: await sprites[path](), loader: "text" }));
  },
};

const minified = async (name) => (await build({ entryPoints: [fileURLToPath(new URL(`src/style/${name}.css`, ROOT))], minify: true, write: false, legalComments: "none" })).outputFiles[0].text.trim();

/** The tokens without those that no rule of the widget reads. */
async function usedTokens() {
  const rules = (await minified("widget")) + (await minified("cards"));
  for (let css = await minified("tokens"); ;) {
    const used = new Set([...(rules + css).matchAll(/var\((--[\w-]+)/g)].map((found) => found[1]));
    const less = css.replace(/(--[\w-]+):[^;}]*(;|(?=\}))/g, (all, name) => (used.has(name) ? all : "")).replace(/;\}/g, "}");
    if (less === css) return css;
    css = less;
  }
}

const styles = {
  name: "styles",
  setup(task) {
    task.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const name = basename(path, ".css");
      return { contents: name === "tokens" ? await usedTokens() : await minified(name), loader: "text" };
    });
  },
};

const SHARED = { bundle: true, minify: true, write: false, metafile: true, target: "es2022", legalComments: "none", absWorkingDir: fileURLToPath(ROOT), outdir: "bundle", charset: "utf8" };
const JSX = { jsx: "transform", jsxFactory: "h", jsxFragment: "Fragment", inject: ["scripts/jsx.js"], tsconfigRaw: {} };

/** Name -> text of what a build gave, and the name that an entry point got. */
const outputs = (result) => Object.fromEntries(result.outputFiles.map((file) => [basename(file.path), file.text]));
const entryOf = (result, source) => basename(Object.entries(result.metafile.outputs).find(([, output]) => output.entryPoint === source)[0]);

async function make() {
  const widget = await build({ ...SHARED, ...JSX, entryPoints: ["src/widget.tsx"], format: "esm", splitting: true, entryNames: "[name]-[hash]", chunkNames: "[name]-[hash]", plugins: [drawings, styles] });
  const name = entryOf(widget, "src/widget.tsx");
  const cards = entryOf(widget, "src/cards/index.tsx");
  const shared = Object.keys(outputs(widget)).filter((one) => one !== name && one !== cards);
  const loader = await build({ ...SHARED, entryPoints: ["src/loader.ts"], format: "iife", define: { WIDGET: JSON.stringify([name, ...shared]) } });
  const page = `<svg xmlns='http://www.w3.org/2000/svg'>${await vehicleText()}${await iconText()}</svg>\n`;
  const manifest = { "loader.js": ["loader.js"], widget: [name, ...shared], cards: [cards], page: ["sprite.svg"] };
  return { ...outputs(widget), ...outputs(loader), "sprite.svg": page, "manifest.json": `${JSON.stringify(manifest, null, 1)}\n` };
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
