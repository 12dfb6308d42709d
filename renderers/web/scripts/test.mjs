// Runs test/*.test.ts with node's own runner; esbuild turns them into JavaScript in memory first.
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const names = (await readdir(`${ROOT}test`)).filter((name) => name.endsWith(".test.ts") || name.endsWith(".test.tsx"));
const out = await mkdtemp(`${ROOT}node_modules/.test-`);
try {
  await build({
    absWorkingDir: ROOT, entryPoints: names.map((name) => `test/${name}`), outdir: out, bundle: true, platform: "node", format: "esm", loader: { ".css": "text" }, outExtension: { ".js": ".mjs" },
    jsx: "transform", jsxFactory: "h", jsxFragment: "Fragment", inject: ["scripts/jsx.js"], tsconfigRaw: {}, logLevel: "warning",
  });
  const files = (await readdir(out)).map((name) => `${out}/${name}`);
  process.exitCode = spawnSync(process.execPath, ["--test", "--test-reporter=dot", ...files], { cwd: ROOT, stdio: "inherit", env: { ...process.env, TZ: "America/Los_Angeles" } }).status ?? 1;
} finally {
  await rm(out, { recursive: true, force: true });
}
