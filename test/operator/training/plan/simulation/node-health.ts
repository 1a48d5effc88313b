/**
 * How the nodes of a history are, and what the operator is told of it: nodes die, or are cut off with their processes alive and come back. News of
 * nodes come late: a node that is seen to be in trouble may be well again.
 */
import type { NodeState } from '../../../../../src/operator/training/plan/types';

/** How often kubelets renew their Leases. */
const LEASE_RENEWAL_MS = 10_000;

/** See the top of this file. */
export class NodeHealth {
  /** Nodes that are lost for good, with what is told of them. */
  private readonly lost = new Map<string, NodeState>();
  /** Nodes that do not answer, with all that runs there alive. */
  private readonly cutOff = new Map<string, NodeState>();
  private readonly told = new Map<string, NodeState>();
  private readonly listeners = new Set<() => void>();

  /** Whether operators of this history may read nodes at all; namespace-scoped ones may not. */
  public isVisible = true;

  /** Whether most nodes of the cluster are not ready, as the operator counts them. */
  private isOutage = false;

  /** Whether nodes of this history have Leases that may be read. */
  public hasLeases = false;
  /** Since when nodes renew no Lease; of the clock that never jumps. */
  private readonly silentSince = new Map<string, number>();

  public constructor(private readonly clock: { readonly monotonic: number } = { monotonic: 0 }) {}

  /** What changes with each renewal of a node's Lease; undefined when it has none. */
  public leaseOf(node: string): string | undefined {
    return this.hasLeases ? String(Math.floor((this.silentSince.get(node) ?? this.clock.monotonic) / LEASE_RENEWAL_MS)) : undefined;
  }

  /** The node is off. */
  public lose(node: string, state: NodeState): void {
    this.cutOff.delete(node);
    this.fallSilent(node);
    this.lost.set(node, state);
  }

  /** The node does not answer any more, and runs on. */
  public cut(node: string, state: NodeState): void {
    if (!this.lost.has(node)) {
      this.cutOff.set(node, state);
      this.fallSilent(node);
    }
  }

  /** The operator is told of trouble with a node that is over by now, or has struck another node of that name; what is true is told later. */
  public flicker(node: string, state: NodeState): void {
    if (!this.lost.has(node) && !this.cutOff.has(node)) {
      this.told.set(node, state);
      this.listeners.forEach((listener) => listener());
    }
  }

  /** The operator asks the server itself, and knows it from then on. */
  public read(node: string): NodeState {
    const state = this.lost.get(node) ?? this.cutOff.get(node);
    if (state === undefined) {
      this.told.delete(node);
    } else {
      this.told.set(node, state);
    }
    this.listeners.forEach((listener) => listener());
    return this.judged(state ?? { health: 'Ready' });
  }

  /** All nodes that were cut off are back. */
  public heal(): void {
    this.cutOff.forEach((_, node) => this.silentSince.delete(node));
    this.cutOff.clear();
    this.tell();
  }

  /** The watch of nodes delivers. */
  public tell(): void {
    const news = new Map([...this.cutOff, ...this.lost]);
    if (news.size !== this.told.size || [...news].some(([node, state]) => this.told.get(node) !== state)) {
      this.told.clear();
      news.forEach((state, node) => this.told.set(node, state));
      this.listeners.forEach((listener) => listener());
    }
  }

  /** Calls back when something was told. */
  public onTold(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** What the operator knows of a node. */
  public of(node: string | undefined): NodeState | undefined {
    return node === undefined || !this.isVisible ? undefined : this.judged(this.told.get(node) ?? { health: 'Ready' });
  }

  /** Most nodes of the cluster are not ready any more, or enough are again. Other nodes than those that the job is on may be why. */
  public setOutage(isOutage: boolean): void {
    if (isOutage !== this.isOutage) {
      this.isOutage = isOutage;
      this.listeners.forEach((listener) => listener());
    }
  }

  /** Whether a node is lost that nothing but its silence shows, among very many that are silent. */
  public isInOutage(node: string | undefined): boolean {
    const state = node === undefined ? undefined : this.lost.get(node) ?? this.cutOff.get(node);
    return this.isOutage && state?.health === 'NotReady' && !state.outOfService;
  }

  /** Whether the operator is told of trouble with the node, true or not. */
  public isToldOf(node: string): boolean {
    return this.told.has(node);
  }

  /** Whether the node is off. */
  public isLost(node: string | undefined): boolean {
    return node !== undefined && this.lost.has(node);
  }

  private judged(state: NodeState): NodeState {
    return this.isOutage ? { ...state, inOutage: true } : state;
  }

  private fallSilent(node: string): void {
    this.silentSince.set(node, this.silentSince.get(node) ?? this.clock.monotonic);
  }

  /** Whether the node runs and cannot be reached. */
  public isCutOff(node: string | undefined): boolean {
    return node !== undefined && this.cutOff.has(node);
  }
}
