/**
 * Configurations of the MIG manager: into which partitions the GPUs of a node are divided. A node chooses one by its label.
 * @see https://github.com/NVIDIA/mig-parted
 */
import { checkConfigName } from './device-plugin';
import { MIG_FAMILIES, familiesOfProduct, familiesWith, fits, hasMedia, mostOf, plainProfile, type MigDevices, type MigFamily } from './mig-geometry';
import { GPU_OPERATOR_RULES as RULES } from './rules';
import { either, FindingCollector, type Finding } from '../findings';
import { didYouMean } from '../violations';

/** Label of nodes that chooses a configuration of partitions. */
export const MIG_CONFIG_LABEL = 'nvidia.com/mig.config';

/** The configuration that the operator begins with, and that therefore has to be there. */
export const ALL_DISABLED = 'all-disabled';

/** What becomes of some GPUs of a node. */
export interface MigEntry {
  /** Indexes of GPUs. @default - all of the node */
  readonly devices?: readonly number[];
  /** PCI ids of the GPUs that are meant, such as `0x233010DE`. @default - all GPUs */
  readonly deviceFilter?: readonly string[];
  /** Product that is meant, as in the label `nvidia.com/gpu.product`; only rules look at it. @default - any that has the sizes */
  readonly product?: string;
  readonly enabled: boolean;
  /** Partitions of each of the GPUs, by their size. */
  readonly partitions?: MigDevices;
}

export type MigConfigs = { readonly [name: string]: readonly MigEntry[] };

export function checkMigConfigs(configs: MigConfigs, path = 'configs'): Finding[] {
  const findings = new FindingCollector();
  if (Object.keys(configs).length === 0) {
    findings.error(RULES.migEntries, path, undefined, 'are empty. Add at least one configuration, under the name by which nodes choose it.');
  }
  for (const [name, entries] of Object.entries(configs)) {
    checkConfigName(name, `${path}.${name}`, findings);
    if (entries.length === 0) {
      findings.error(RULES.migEntries, `${path}.${name}`, entries, 'is empty. Describe how to partition the GPUs.');
    }
    entries.forEach((entry, index) => checkEntry(entry, `${path}.${name}[${index}]`, findings));
    checkOverlaps(entries, `${path}.${name}`, findings);
  }
  return findings.findings;
}

/** Adds the configuration that the operator begins with, unless there is one of its name. */
export function withAllDisabled(configs: MigConfigs): MigConfigs {
  return Object.hasOwn(configs, ALL_DISABLED) ? configs : { [ALL_DISABLED]: [{ enabled: false }], ...configs };
}

/** With the strategy single a node's partitions all have one name, so that they have to be alike. */
export function checkUniform(configs: MigConfigs, path = 'migConfig.configs'): Finding[] {
  const findings = new FindingCollector();
  for (const [name, entries] of Object.entries(configs)) {
    // Entries with filters are for different nodes.
    entries.forEach(({ partitions = {} }, index) => {
      if (Object.keys(partitions).length > 1) {
        findings.error(RULES.migUniform, `${path}.${name}[${index}].partitions`, partitions, 'are of several sizes, and with the strategy single all partitions of a node are nvidia.com/gpu. Use one size, or the strategy mixed.');
      }
    });
  }
  return findings.findings;
}

function checkEntry(entry: MigEntry, path: string, findings: FindingCollector): void {
  const { devices = [], deviceFilter = [], product, enabled, partitions = {} } = entry;
  devices.forEach((index, place) => {
    if (!Number.isInteger(index) || index < 0) {
      findings.error(RULES.deviceIndex, `${path}.devices[${place}]`, index, 'must be the index of a GPU of the node: 0, 1, …');
    } else if (devices.indexOf(index) < place) {
      findings.error(RULES.deviceIndex, `${path}.devices[${place}]`, index, 'is listed twice. Remove it.');
    }
  });
  for (const [place, filter] of deviceFilter.entries()) {
    findings.form(RULES.deviceFilter, `${path}.deviceFilter[${place}]`, filter, /^0x[0-9A-Fa-f]{8}$/,
      'must be the PCI id of the device and vendor, such as "0x233010DE" (H100 80 GB).');
  }
  const sizes = Object.keys(partitions);
  if (!enabled && sizes.length > 0) {
    findings.error(RULES.migEnabled, `${path}.partitions`, partitions, 'cannot be set while MIG is disabled. Enable MIG, or remove the partitions.');
  } else {
    checkPartitions(partitions, product, `${path}.partitions`, findings);
  }
}

function checkPartitions(partitions: MigDevices, product: string | undefined, path: string, findings: FindingCollector): void {
  const ofProduct = product === undefined ? undefined : familiesOfProduct(product);
  const candidates = ofProduct === undefined || ofProduct.length === 0 ? MIG_FAMILIES : ofProduct;
  const before = findings.findings.length;
  for (const [profile, count] of Object.entries(partitions)) {
    checkProfile(profile, candidates, product, `${path}['${profile}']`, findings);
    findings.whole(RULES.migCount, `${path}['${profile}']`, count, 1, Infinity, '. Leave the size out if there are no such partitions.');
  }
  if (findings.findings.length === before) {
    checkRoom(partitions, candidates, path, findings);
  }
}

function checkProfile(
  profile: string, candidates: readonly MigFamily[], product: string | undefined, path: string, findings: FindingCollector,
): void {
  const known = [...new Set(candidates.flatMap(({ profiles }) => profiles))];
  if (known.includes(plainProfile(profile)) && (/^\d+g\.\d+gb(\+(me|gfx|me\.all))?$/.test(profile))) {
    return;
  }
  const spelled = profile.replace(/[.-](me|gfx)/, '+$1');
  const hint = spelled !== profile && known.includes(plainProfile(spelled)) ? ` Did you mean '${spelled}'?` : didYouMean(profile, known);
  const [family] = candidates;
  findings.error(RULES.migProfile, path, profile, candidates.length < MIG_FAMILIES.length
    ? `is not a size of ${product}, which has ${either(family.profiles)}.${hint}`
    : `is not a size of any GPU.${hint || ' An example of a size is 1g.10gb.'}`);
}

/** Whether there is a GPU that has all of them, at the same time. */
function checkRoom(partitions: MigDevices, candidates: readonly MigFamily[], path: string, findings: FindingCollector): void {
  const profiles = Object.keys(partitions);
  const families = candidates.filter((family) => profiles.every((profile) => familiesWith(profile).includes(family)));
  if (profiles.length > 0 && families.length === 0) {
    findings.error(RULES.migOneGpu, path, partitions, `are sizes of different GPUs: ${profiles.map((profile) => `${profile} of ${either(familiesWith(profile).map(({ title }) => title))}`).join(', ')}. Give each GPU its own entry, with a device filter.`);
    return;
  }
  const media = profiles.filter(hasMedia).reduce((total, profile) => total + partitions[profile], 0);
  if (media > 1) {
    findings.error(RULES.migMediaOnce, path, partitions, `use the media engines ${media} times, and a GPU has them once. Use one partition with +me.`);
  } else if (profiles.length > 0 && !families.some((family) => fits(family, partitions))) {
    const [family] = families;
    const most = profiles.length === 1 ? ` ${family.title} has room for ${mostOf(family, profiles[0])} of ${profiles[0]}.` : ` A ${family.title} has ${family.slices} compute slices, and partitions can start only at certain positions.`;
    findings.error(RULES.migFits, path, partitions, `do not fit together on one GPU.${most} Use fewer of them.`);
  }
}

function checkOverlaps(entries: readonly MigEntry[], path: string, findings: FindingCollector): void {
  entries.forEach((entry, index) => {
    const twin = entries.findIndex((other, place) => place < index && meet(entry, other));
    if (twin >= 0) {
      findings.error(RULES.deviceIndex, `${path}[${index}]`, entry.devices ?? 'all', `covers GPUs that entry ${twin} also covers, and the later would undo the earlier. Use different devices or filters.`);
    }
  });
}

/** Whether two entries can be about one GPU. */
function meet(one: MigEntry, other: MigEntry): boolean {
  const filters = one.deviceFilter !== undefined && other.deviceFilter !== undefined;
  const apart = filters && !one.deviceFilter.some((filter) => other.deviceFilter!.some((second) => second.toLowerCase() === filter.toLowerCase()));
  const devices = one.devices === undefined || other.devices === undefined || one.devices.some((index) => other.devices!.includes(index));
  return devices && !apart;
}
