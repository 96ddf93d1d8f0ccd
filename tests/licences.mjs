// Writes the licences of all packages in the binary and its page to standard output, without network.
//
// usage: node tests/licences.mjs > crates/grainsheaf/src/licences.txt   (`make licences`)
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const TARGET = "x86_64-unknown-linux-gnu";
const IS_LICENCE = /^(licen[sc]e|copying|notice|unlicense)/i;

function cargo(...words) {
  return execFileSync("cargo", [...words, "--locked", "--offline"], { encoding: "utf8", maxBuffer: 1 << 28 });
}

/** Packages below the binary, the extension module and the recorder, as `NAME VERSION`. */
function linked() {
  const tree = cargo(
    "tree", "--edges", "normal,no-proc-macro", "--target", TARGET, "--prefix", "none", "--format", "{p}",
    "-p", "grainsheaf", "-p", "sheaf-python", "-p", "sheaf-recorder",
  );
  const lines = tree.split("\n").map((line) => line.replace(" (*)", ""));
  return new Set(lines.filter((line) => line && !line.includes("(")).map((line) => line.replace(" v", " ")));
}

function texts(folder) {
  const files = readdirSync(folder).filter((name) => IS_LICENCE.test(name)).sort();
  // The C library that is compiled into this package.
  if (existsSync(join(folder, "zstd/LICENSE"))) files.push("zstd/LICENSE");
  const found = [];
  for (const file of files.map((name) => join(folder, name))) {
    if (statSync(file).isFile()) found.push(readFileSync(file, "utf8").replaceAll("\r", "").trim());
    else found.push(...texts(file));
  }
  return found;
}

function rustPackages() {
  const wanted = linked();
  const { packages } = JSON.parse(cargo("metadata", "--format-version", "1", "--filter-platform", TARGET));
  return packages
    .filter((p) => p.source && wanted.has(`${p.name} ${p.version}`))
    .map((p) => ({ name: p.name, version: p.version, licence: p.license, texts: texts(dirname(p.manifest_path)) }));
}

/** Packages that the page is made of: what `@grainsheaf/app` depends on, also by others. */
function pagePackages() {
  const { packages } = JSON.parse(readFileSync("frontend/package-lock.json", "utf8"));
  const names = ["@grainsheaf/app"];
  const found = new Map();
  while (names.length > 0) {
    const name = names.pop();
    let entry = packages[`node_modules/${name}`];
    if (entry.link) entry = packages[entry.resolved];
    else if (found.has(name)) continue;
    else {
      const folder = join("frontend/node_modules", name);
      found.set(name, { name, version: entry.version, licence: entry.license, texts: texts(folder) });
    }
    names.push(...Object.keys(entry.dependencies ?? {}));
  }
  return [...found.values()];
}

/** The standard text, for packages that come without one. */
function standard(licence) {
  const file = licence.includes("MIT") ? "LICENSE-MIT" : "LICENSE-APACHE";
  const text = readFileSync(file, "utf8").trim();
  return file === "LICENSE-MIT" ? text.replace(/^Copyright.*\n\n/m, "") : text;
}

const all = [...rustPackages(), ...pagePackages()];
all.sort((a, b) => (a.name === b.name ? (a.version < b.version ? -1 : 1) : a.name < b.name ? -1 : 1));
const users = new Map();
for (const one of all) {
  if (one.texts.length === 0) one.texts = [standard(one.licence)];
  for (const text of new Set(one.texts)) users.set(text, [...(users.get(text) ?? []), `${one.name} ${one.version}`]);
}
const rule = "=".repeat(80);
const lines = [
  "Grainsheaf is licensed under MIT OR Apache-2.0. The binary and its page contain the packages below, and the",
  "Rust standard library (MIT OR Apache-2.0). Their licence texts follow, each once, below its packages.",
  "",
  ...all.map((one) => `${one.name} ${one.version} ${one.licence}`),
  "",
];
for (const [text, packages] of users) lines.push(rule, ...packages, "", text, "");
process.stdout.write(lines.join("\n"));
