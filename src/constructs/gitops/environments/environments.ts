import path from 'node:path';
import { App } from 'cdk8s';
import { Environment } from './environment';
import type { EnvironmentsProps } from './environment-props';
import { toEnvironments } from './to-spec';
import { checkTypes } from '../../props/check-props';
import { validateEnvironments } from '../../../model/environments/rules';
import { structureProblems } from '../../../model/environments/structure';
import { didYouMean, formatViolation } from '../../../model/violations';

/** Number of differences in a message: a construct may create many objects. */
const MAX_DIFFERENCES = 12;

/** The heading of cdk8s, so that tools find the list after it. */
const HEADING = 'Validation failed with the following errors:';

/**
 * The environments of one program. Sizes, quotas, versions and images differ between them; the structure does not. Each environment is an app with
 * its own folder.
 * @see docs/platform/environments.md
 * @example
 * import { Gpu } from 'trainyard';
 * import { Environments } from 'trainyard/gitops';
 * import { Team } from 'trainyard/platform';
 *
 * const environments = new Environments({
 *   environments: [
 *     { name: 'dev', quotas: { vision: { gpu: Gpu.nvidia(8) } } },
 *     { name: 'prod', quotas: { vision: { gpu: Gpu.nvidia(64) } } },
 *   ],
 * });
 * for (const environment of environments.all) {
 *   new Team(environment.chart('vision'), 'Vision', { name: environment.namespace('vision'), quota: environment.quota('vision') });
 * }
 * environments.synth();
 */
export class Environments {
  private readonly members: readonly Environment[];

  /** @throws Error with all errors in the settings */
  public constructor(props: EnvironmentsProps = {}) {
    checkTypes('Environments', 'EnvironmentsProps', props);
    const { environments, violations } = toEnvironments(props);
    // A file that cannot be read has no environments, which is reported once.
    const isEmptyByMistake = environments.length === 0 && violations.length > 0;
    const all = [...violations, ...(isEmptyByMistake ? [] : validateEnvironments(environments.map(({ spec }) => spec)))];
    if (all.length > 0) {
      throw new Error(`${HEADING}\n${all.map((violation) => `  [environments] Environments: ${formatViolation(violation)}`).join('\n')}`);
    }
    const { outdir = new App().outdir, yamlOutputType } = props;
    // An environment that is synthesized alone is checked against the others too.
    const check = () => failOn(this.problems());
    this.members = environments.map((input) => Environment._of(input, { outdir: path.join(outdir, input.spec.name), yamlOutputType, check }));
  }

  /** All environments, in the order of promotion. */
  public get all(): Environment[] {
    return [...this.members];
  }

  /** The environment with this name. @throws Error if it does not exist */
  public environment(name: string): Environment {
    const found = this.members.find((environment) => environment.name === name);
    if (found === undefined) {
      const names = this.members.map((environment) => environment.name);
      throw new Error(`Environments: there is no environment '${name}'; there are ${names.join(', ')}.${didYouMean(name, names)}`);
    }
    return found;
  }

  /**
   * Writes all environments, each to its folder, if none of them has an error.
   * @throws Error with all errors
   */
  public synth(): void {
    const ofConstructs = this.members.flatMap(({ name, node }) => node.findAll().flatMap((construct) => (
      construct.node.validate().map((message) => `[${[name, construct.node.path].filter((part) => part !== '').join('/')}] ${message}`))));
    failOn([...ofConstructs, ...this.problems()]);
    this.members.forEach((environment) => environment._write());
  }

  /** Objects that are not in all environments, and settings that are not used. */
  private problems(): string[] {
    const found = structureProblems(this.members.map((environment) => environment._structure()));
    const structure = found.slice(0, MAX_DIFFERENCES).map(({ environment, construct, message }) => `[${environment}/${construct}] Environments: ${message}`);
    const more = found.length - structure.length;
    return [...structure, ...(more > 0 ? [`[environments] Environments: ${more} more objects are not in all environments.`] : []), ...this.unused().map((message) => `[environments] Environments: ${message}`)];
  }

  /** Settings that the program does not read: promoting them would change nothing. */
  private unused(): string[] {
    const used = new Set(this.members.flatMap((environment) => [...environment._used]));
    const { versions, images, sizes, quotas } = this.members[0]._spec;
    const given = { versions: Object.keys(versions), images: Object.keys(images), sizes, quotas };
    return Object.entries(given).flatMap(([kind, names]) => names.filter((name) => !used.has(`${kind}.${name}`)).map((name) => (
      `${kind}.${name} is not used by the program: use environment.${METHODS[kind as keyof typeof METHODS]}('${name}'), or remove it.`)));
  }
}

const METHODS = { versions: 'version', images: 'image', sizes: 'size', quotas: 'quota' } as const;

function failOn(errors: readonly string[]): void {
  if (errors.length > 0) {
    throw new Error(`${HEADING}\n  ${errors.join('\n  ')}`);
  }
}
