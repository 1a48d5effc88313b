/** How machines are had: on demand, spot, flex-start, queued, from a reservation. */
import { POOL_RULES } from './rule-list';
import { both, either, type FindingCollector } from '../../findings';
import { findMachine } from '../../accelerators/catalogue';
import type { AcceleratorInfo } from '../../accelerators/types';
import { didYouMean } from '../../violations';
import type { NodePoolSpec, PoolCapacity } from '../spec';

const AFFINITIES = ['none', 'any', 'any-then-fail'];

const MINUTE = 60;

const DAY = 24 * 60 * MINUTE;

/** Machines whose flex-start nodes can be placed compactly. */
const FLEX_COMPACT = ['a3-ultragpu-', 'a4-', 'h4d-'];

/** Name of a resource of Compute Engine. */
const RESOURCE_NAME = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

export function checkCapacity(pool: NodePoolSpec, accelerator: AcceleratorInfo | undefined, path: string, findings: FindingCollector): void {
  const capacity = pool.capacity ?? {};
  checkExclusive(capacity, `${path}.capacity`, findings);
  checkReservation(pool, capacity, path, findings);
  checkRunDuration(capacity, `${path}.capacity.maxRunSeconds`, findings);
  if (capacity.flexStart || capacity.queued) {
    checkDws(pool, capacity, accelerator, path, findings);
  }
  if (accelerator !== undefined) {
    checkOffers(capacity, accelerator, `${path}.capacity`, findings);
  }
}

function checkExclusive(capacity: PoolCapacity, path: string, findings: FindingCollector): void {
  const { spot, flexStart, queued, reservation, reservationAffinity } = capacity;
  if (spot && flexStart) {
    findings.error(POOL_RULES.exclusive, `${path}.flexStart`, true, 'cannot be combined with spot: flex-start machines are not preempted. Remove one of the two.');
  }
  if (spot && queued) {
    findings.error(POOL_RULES.exclusive, `${path}.queued`, true, 'cannot be combined with spot. Remove one of the two.');
  }
  const own = Object.entries({ spot, flexStart, queued }).filter(([, set]) => set).map(([name]) => name);
  const wanted = reservation !== undefined ? 'reservation' : reservationAffinity !== undefined && reservationAffinity !== 'none' ? 'reservationAffinity' : undefined;
  if (own.length > 0 && wanted !== undefined) {
    findings.error(POOL_RULES.exclusive, `${path}.${wanted}`, reservation?.name ?? reservationAffinity,
      `cannot be combined with ${both(own)}: such machines never come from a reservation. Remove one of the two, or create a pool for each.`);
  }
}

function checkReservation(pool: NodePoolSpec, { reservation, reservationAffinity }: PoolCapacity, path: string, findings: FindingCollector): void {
  const where = `${path}.capacity`;
  if (reservationAffinity !== undefined && !AFFINITIES.includes(reservationAffinity)) {
    const guess = /specific/i.test(reservationAffinity) ? ' Name the reservation instead.' : didYouMean(reservationAffinity, AFFINITIES);
    findings.error(POOL_RULES.affinity, `${where}.reservationAffinity`, reservationAffinity, `must be ${either(AFFINITIES)}.${guess}`);
  } else if (reservationAffinity !== undefined && reservation !== undefined) {
    findings.error(POOL_RULES.affinity, `${where}.reservationAffinity`, reservationAffinity, 'cannot be combined with a reservation by name. Remove one of the two.');
  }
  if (reservation === undefined) {
    return;
  }
  const { name, project, block, subBlock } = reservation;
  if (!RESOURCE_NAME.test(name)) {
    const parts = /^projects\/([^/]+)\/reservations\/([^/]+)/.exec(name);
    findings.error(POOL_RULES.reservation, `${where}.reservation.name`, name, parts === null
      ? 'must be the name of a reservation: a letter, then letters, digits and \'-\'.'
      : `must be the name alone. Use name: '${parts[2]}' and project: '${parts[1]}'.`);
  }
  if (subBlock !== undefined && block === undefined) {
    findings.error(POOL_RULES.reservation, `${where}.reservation.subBlock`, subBlock, 'is part of a block. Name the block too.');
  }
  if (block !== undefined && project === undefined) {
    findings.error(POOL_RULES.reservation, `${where}.reservation.project`, undefined, `is required with a block, whose path starts with it: projects/PROJECT/reservations/${name}/reservationBlocks/${block}. Name it.`);
  }
  if (block !== undefined && (pool.zones ?? []).length === 0) {
    findings.error(POOL_RULES.reservation, `${path}.zones`, pool.zones, 'is required with a block of a reservation, which is in one zone. Name that zone.');
  }
}

function checkRunDuration({ flexStart, queued, maxRunSeconds: seconds }: PoolCapacity, path: string, findings: FindingCollector): void {
  if (seconds === undefined) {
    return;
  }
  const [least, most, what] = flexStart ? [10 * MINUTE, 7 * DAY, 'flex-start machines live 10 minutes to 7 days'] : [30, 120 * DAY, 'machines live 30 seconds to 120 days'];
  if (findings.whole(POOL_RULES.runDuration, path, seconds, least, most, `, in seconds: ${what}.`) && queued && !flexStart) {
    findings.error(POOL_RULES.runDuration, path, seconds, 'is not allowed on queued pools: the ProvisioningRequest sets it, as maxRunDurationSeconds. Remove it here.');
  }
}

/** Flex-start and queued provisioning, which are both of the Dynamic Workload Scheduler. */
function checkDws(
  pool: NodePoolSpec, { flexStart, queued }: PoolCapacity, accelerator: AcceleratorInfo | undefined, path: string, findings: FindingCollector,
): void {
  const which = flexStart ? 'flexStart' : 'queued';
  const { size = {}, machineType = '', placement = {} } = pool;
  if (findMachine(machineType)?.machine.dwsDisabled || (accelerator?.kind === 'tpu' && !accelerator.dws)) {
    findings.error(POOL_RULES.dws, `${path}.capacity.${which}`, true, `is not available for ${machineType || accelerator?.type}. Use a reservation, spot or on-demand machines.`);
  }
  if (flexStart && pool.autoRepair !== false) {
    findings.error(POOL_RULES.flexRepair, `${path}.autoRepair`, pool.autoRepair, 'must be false for flex-start machines, which are not repaired. Set it to false.');
  }
  if (size.nodes !== undefined) {
    findings.error(POOL_RULES.flexSize, `${path}.size.nodes`, size.nodes, `is a fixed number, but ${which} machines are added when pods wait for them. Use maxPerZone or totalMax.`);
  }
  const least = size.minPerZone ?? size.totalMin ?? 0;
  if (queued && least > 0) {
    findings.error(POOL_RULES.flexSize, `${path}.size.${size.minPerZone !== undefined ? 'minPerZone' : 'totalMin'}`, least, 'must be 0 for queued machines, which are added for a request. Remove it.');
  }
  if (placement.compact && accelerator?.kind !== 'tpu') {
    if (queued) {
      findings.error(POOL_RULES.queuedCompact, `${path}.placement.compact`, true, 'is not available with queued machines, except for TPUs. Remove it.');
    } else if (!FLEX_COMPACT.some((prefix) => machineType.startsWith(prefix))) {
      findings.error(POOL_RULES.flexCompact, `${path}.placement.compact`, true, `is not available with flex-start machines of ${machineType || 'this type'}, only with A3 Ultra, A4 and H4D. Remove it.`);
    }
  }
  const strategy = pool.upgrade?.strategy;
  if (strategy === 'SURGE' || strategy === 'BLUE_GREEN') {
    findings.warn(POOL_RULES.dwsUpgrade, `${path}.upgrade.strategy`, strategy, `may be rejected: GKE replaces ${which} nodes when their lifetime ends. Remove it.`);
  }
}

function checkOffers(capacity: PoolCapacity, accelerator: AcceleratorInfo, path: string, findings: FindingCollector): void {
  const { spot, flexStart, queued, reservation, reservationAffinity } = capacity;
  if (spot && accelerator.spot === null) {
    findings.warn(POOL_RULES.spot, `${path}.spot`, true, `is not documented for ${accelerator.type}.`);
  }
  const wantsReservation = reservation !== undefined || (reservationAffinity !== undefined && reservationAffinity !== 'none');
  if (accelerator.kind === 'gpu' && accelerator.onDemand === false && !spot && !flexStart && !queued && !wantsReservation) {
    findings.error(POOL_RULES.onDemand, path, undefined, `is on demand, but ${accelerator.type} is not available on demand. Set spot, flexStart or a reservation.`);
  }
}
