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

/** The icons that some source files name, as a set of names; `also` comes from data. */
export async function namedIcons(texts, also = []) {
  const known = new Set((await readdir(new URL(ICONS.folder, HOME))).map((name) => name.slice(0, -4)));
  const words = texts.join("\n").match(/"[a-z]+"/g).map((word) => word.slice(1, -1));
  return new Set([...words, ...also].filter((word) => known.has(word)));
}

export const iconText = (wanted) => symbols(ICONS, wanted);
export const vehicleText = () => symbols(VEHICLES);
