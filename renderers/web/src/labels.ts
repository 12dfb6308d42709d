/** Words of ours. One catalogue per language, plain JSON, loaded when it is needed; English is always there. */
import type cardWords from "./labels/en.cards.json";
import en from "./labels/en.json";

export type Key = keyof typeof en | keyof typeof cardWords;
type Entry = string | Readonly<Record<string, string>>;
export type Catalogue = Readonly<Partial<Record<Key, Entry>>>;

const loaders: Readonly<Record<string, () => Promise<Catalogue>>> = {};
let lang = "en";
let words: Catalogue = en;

/** The language of our own words, BCP 47. */
export const language = (): string => lang;

/** Take the first wished language that has a catalogue. */
export async function chooseLanguage(wished: readonly string[]): Promise<void> {
  const codes = wished.map((tag) => tag.toLowerCase().split("-")[0] ?? "");
  const found = codes.find((code) => code === "en" || loaders[code]);
  if (!found || found === "en") return;
  words = { ...en, ...(await loaders[found]!()) };
  lang = found;
}

/** A caption with its values; plural forms by `n`. A missing key gives an empty text, never a key name. */
export function t(key: Key, values: Readonly<Record<string, string | number>> = {}): string {
  const entry: Entry = words[key] ?? "";
  const form = typeof entry === "string" ? entry : plural(entry, Number(values["n"] ?? 0));
  return form.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}

/** The caption for a key that is built from data, empty when there is none. */
export const maybe = (key: string): string => (Object.hasOwn(words, key) ? t(key as Key) : "");

/** Words that came with the cards; a language that has its own keeps them. */
export function addWords(more: Catalogue): void {
  words = { ...more, ...words };
}

const plural = (forms: Readonly<Record<string, string>>, n: number): string =>
  forms[new Intl.PluralRules(lang).select(n)] ?? forms["other"] ?? "";
