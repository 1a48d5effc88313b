/**
 * Says what to install before anything else of this entry point is loaded: Pulumi is the user's to install, because most users of the constructs
 * have no use for it.
 * Imported first by index.ts, and free of other imports.
 */

/** Packages with the oldest major version that has what we use. */
const NEEDED = { '@pulumi/pulumi': 3, '@pulumi/gcp': 9, '@pulumi/kubernetes': 4 } as const;

/** Under another name, so that bundlers leave it alone. */
const find: NodeJS.Require = require;

/** What an installed package says of itself; undefined where it is not installed. */
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
