/** Names of projects, which are names of packages and of Kubernetes. */
import path from 'node:path';

const LONGEST = 40;

/** What is wrong with a name; undefined for one that can be used. */
export function nameProblem(name: string): string | undefined {
  return /^[a-z][a-z0-9-]*$/.test(name) && !name.endsWith('-') && name.length <= LONGEST ? undefined
    : `It must have lower-case letters, digits and '-', begin with a letter, end with a letter or digit, and have at most ${LONGEST} characters.`;
}

/** A folder's name as the name of its project. */
export function nameOfFolder(folder: string): string {
  return path.basename(path.resolve(folder)).toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^[-0-9]+/, '').slice(0, LONGEST).replace(/-$/, '') || 'jobs';
}
