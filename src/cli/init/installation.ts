/** Commands that a user runs to install the packages of a new project. */
import fs from 'node:fs';
import path from 'node:path';
import { CliError } from '../cli-error';

/** What the folder's package.json must have. */
interface NpmNeeds {
  readonly packages: readonly string[];
  readonly tools: readonly string[];
  readonly scripts: { readonly [name: string]: string };
}

/** The test that `npm init` writes. */
const NO_TEST = /no test specified/;

/** Commands that add what is missing in the folder's package.json, which may be older than the project. */
export function installNpm(folder: string, { packages, tools, scripts }: NpmNeeds): string[] {
  const { dependencies, devDependencies, scripts: given = {} } = packageIn(path.join(folder, 'package.json'));
  const installed = Object.keys({ ...dependencies, ...devDependencies });
  const missing = (all: readonly string[]) => all.filter((each) => !installed.includes(each.replace(/(?!^)@.*/, ''))).join(' ');
  const [missingPackages, missingTools] = [missing(packages), missing(tools)];
  const missingScripts = Object.entries(scripts).filter(([name]) => given[name] === undefined || NO_TEST.test(given[name]));
  return [
    ...(missingScripts.length === 0 ? [] : [`npm pkg set ${missingScripts.map(([name, script]) => `'scripts.${name}=${script}'`).join(' ')}`]),
    ...(installed.includes('trainyard') ? [] : ['npm install TARBALL       # of trainyard: npm pack writes it in a clone']),
    ...(missingPackages === '' ? [] : [`npm install ${missingPackages}`]),
    ...(missingTools === '' ? [] : [`npm install --save-dev ${missingTools}`]),
  ];
}

interface PackageJson {
  readonly dependencies?: object;
  readonly devDependencies?: object;
  readonly scripts?: { readonly [name: string]: string };
}

function packageIn(file: string): PackageJson {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as PackageJson;
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/** The same for a project in Python. */
export const PYTHON_INSTALLATION: readonly string[] = [
  'mkdir -p wheels && cp WHEEL wheels/  # of trainyard: npm run package writes it in a clone, to dist/python',
  'python3 -m venv .venv && . .venv/bin/activate',
  'pip install -r requirements.txt',
];
