// All drawings as one text of symbols: vehicles as v-<name>, icons as i-<name>.
import { readdir, readFile } from "node:fs/promises";

const HOME = new URL("../drawings/", import.meta.url);
const VEHICLES = { folder: "vehicles/", prefix: "v-", box: "0 0 320 200" };
const ICONS = { folder: "icons/", prefix: "i-", box: "0 0 24 24" };

async function symbols({ folder, prefix, box }, wanted) {
  const names = (await readdir(new URL(folder, HOME))).filter((name) => name.endsWith(".svg")).sort();
  const texts = await Promise.all(names.filter((name) => !wanted || wanted.has(name.slice(0, -4))).map(async (name) => {
    const svg = await readFile(new URL(folder + name, HOME), "utf8");
    const body = svg.replace(/^[\s\S]*?<svg[^>]*>|<\/svg>\s*$/g, "").replace(/"/g, "'").replace(/>\s+</g, "><").trim();
    return `<symbol id='${prefix}${name.slice(0, -4)}' viewBox='${box}'>${body}</symbol>`;
  }));
  return texts.join("");
}

/** For a page: everything. For the widget: only icons that its source names. */
export const spriteText = async (icons) => (await symbols(VEHICLES)) + (await symbols(ICONS, icons));
