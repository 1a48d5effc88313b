/**
 * Fills the cache with the binaries of the embedded control plane, so that tests and `trainyard dev` start at once:
 *
 *     npm run control-plane:install               all of them
 *     npm run control-plane:install -- etcd kwok  only these
 *     npm run control-plane:install -- kubectl    kubectl, which the control plane does not need, in the same version
 */
import { resolveBinaries } from '../src/local/control-plane/binaries';
import { COMPONENT_NAMES, ComponentName } from '../src/local/control-plane/components';

async function main(args: readonly string[]): Promise<void> {
  const known: readonly ComponentName[] = [...COMPONENT_NAMES, 'kubectl'];
  const unknown = args.filter((name) => !(known as readonly string[]).includes(name));
  if (unknown.length > 0) {
    throw new Error(`Unknown program ${unknown.map((name) => `"${name}"`).join(', ')}; there are ${known.join(', ')}.`);
  }
  const names = args.length > 0 ? args as readonly ComponentName[] : COMPONENT_NAMES;
  const binaries = await resolveBinaries(names, { log: (line) => console.error(`control plane: ${line}`) });
  binaries.forEach((file, name) => console.log(`${name}\t${file}`));
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
