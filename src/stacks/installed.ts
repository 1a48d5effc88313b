/**
 * Reports missing packages before anything else of this entry point is loaded. Users install Pulumi themselves, because most users of the constructs
 * do not need it.
 * Imported first by index.ts, and free of other imports.
 */

/** The packages, with the oldest major version that works. */
const NEEDED = { '@pulumi/pulumi': 3, '@pulumi/gcp': 9, '@pulumi/kubernetes': 4 } as const;

/** `require` under another name, so that bundlers do not process it. */
const find: NodeJS.Require = require;

/** The version of an installed package, or undefined. */
function installedVersion(name: string): string | undefined {
  try {
    return (find(`${name}/package.json`) as { readonly version: string }).version;
  } catch {
    return undefined;
  }
}

const command = `npm install ${Object.entries(NEEDED).map(([name, major]) => `${name}@^${major}`).join(' ')}`;
const missing: string[] = [];
const old: string[] = [];
for (const [name, major] of Object.entries(NEEDED)) {
  const version = installedVersion(name);
  if (version === undefined) {
    missing.push(name);
  } else if (Number(version.split('.')[0]) < major) {
    old.push(`${name} ${version}, where ${major}.0.0 or newer is needed`);
  }
}
if (missing.length > 0) {
  throw new Error(`trainyard/stacks consists of Pulumi resources, but ${missing.join(' and ')} cannot be found. Pulumi is not installed with trainyard, which works without it. Run: ${command}`);
}
if (old.length > 0) {
  throw new Error(`trainyard/stacks found ${old.join(', and ')}. Run: ${command}`);
}

export {};
