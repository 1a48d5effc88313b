/** Which machine types have which accelerators. Shared by what pods ask for and by node pools. */
import { RULES } from './rule-list';
import { FACTS_OF, findMachine, machineFamilyOf, machineNames, machinesWith, ordinaryMachines } from '../catalogue';
import { either, type FindingCollector } from '../../findings';
import type { AcceleratorInfo, GpuAccelerator, MachineType } from '../types';
import { didYouMean } from '../../violations';

/** Families that never have GPUs, whatever is attached. */
const GENERAL_PURPOSE = /^(e2|n2|n2d|n4|c2|c2d|c3|c3d|c4|t2a|t2d|f1|g1)-/;

/** Checks that a machine type has an accelerator. @returns the machine type when it is known to have it */
export function checkMachine(accelerator: AcceleratorInfo, name: string, path: string, findings: FindingCollector): MachineType | undefined {
  const known = findMachine(name);
  if (known === undefined) {
    unknownMachine(accelerator, name, path, findings);
    return undefined;
  }
  if (!known.accelerators.includes(accelerator)) {
    const [own] = known.accelerators;
    const others = known.accelerators.length > 1 ? 'GPUs of older types' : own.type;
    findings.error(RULES.machineAccelerator, path, name,
      `has ${others}, not ${accelerator.type}. Use ${either(machineExamples(accelerator))}${known.accelerators.length > 1 ? '' : `, or ask for ${own.type}`}.`);
    return undefined;
  }
  return known.machine;
}

function unknownMachine(accelerator: AcceleratorInfo, name: string, path: string, findings: FindingCollector): void {
  const guess = didYouMean(name, accelerator.machines.map((machine) => machine.name)) || didYouMean(name, machineNames());
  const use = `Use ${either(machineExamples(accelerator))}.`;
  if (accelerator.kind === 'gpu' && GENERAL_PURPOSE.test(name)) {
    findings.error(RULES.generalPurpose, path, name, `cannot have GPUs: of the general-purpose machines only N1 can, and ${accelerator.type} `
      + `${accelerator.attachableToN1 ? 'is attached to those' : 'comes with its own machine type'}. ${use}`);
  } else if (guess !== '' && machineFamilyOf(name) === machineFamilyOf(guess.slice(guess.indexOf("'") + 1))) {
    findings.error(RULES.machineType, path, name, `is not a machine type with accelerators.${guess}`);
  } else if (accelerator.machineFamily === machineFamilyOf(name)) {
    findings.warn(RULES.machineType, path, name, `was not a machine type with accelerators on ${FACTS_OF}, so it is not checked further. ${use}`);
  } else {
    findings.warn(RULES.machineType, path, name, `is not known to have ${accelerator.type}. ${use}`);
  }
}

/** A few machine types to propose. */
export function machineExamples(accelerator: AcceleratorInfo): string[] {
  const names = ordinaryMachines(accelerator).map(({ name }) => name);
  return accelerator.kind === 'gpu' && accelerator.attachableToN1 ? ['n1-standard-8', 'n1-highmem-8'] : names.slice(0, 4);
}

export function checkVcpus(gpu: GpuAccelerator, machine: MachineType, count: number, path: string, findings: FindingCollector): void {
  const limit = gpu.maxVcpuByCount?.[count];
  if (limit === undefined || machine.vcpu <= limit) {
    return;
  }
  const enough = gpu.counts.find((more) => machine.vcpu <= (gpu.maxVcpuByCount?.[more] ?? 0));
  const smaller = machinesWith(gpu, count).filter(({ name }) => name.startsWith('n1-standard')).map(({ name }) => name).pop();
  const message = `has ${machine.vcpu} vCPUs; with ${count} ${gpu.type} a machine has at most ${limit}. `
    + `Use ${smaller ?? 'a smaller machine'}${enough === undefined ? '' : `, or ${enough} GPUs`}.`;
  // Two of the sources disagree on the largest machines of P100.
  if (gpu.maxVcpuDisputed && count === Math.max(...gpu.counts) && machine.vcpu <= 96) {
    findings.warn(RULES.vcpu, path, machine.name, `${message} (Some zones reportedly allow 96.)`);
  } else {
    findings.error(RULES.vcpu, path, machine.name, message);
  }
}
