/**
 * How the nodes of a history are, and what the operator is told of it: nodes die, or are cut off with their processes alive and come back. News of
 * nodes come late, never early: a node that is seen to be dead is dead.
 */
import type { NodeState } from '../../../../../src/operator/training/plan/types';

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

  /** The node is off. */
  public lose(node: string, state: NodeState): void {
    this.cutOff.delete(node);
    this.lost.set(node, state);
  }

  /** The node does not answer any more, and runs on. */
  public cut(node: string, state: NodeState): void {
    if (!this.lost.has(node)) {
      this.cutOff.set(node, state);
    }
  }

  /** All nodes that were cut off are back. */
  public heal(): void {
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
    return node === undefined || !this.isVisible ? undefined : this.told.get(node) ?? { health: 'Ready' };
  }

  /** Whether the node is off. */
  public isLost(node: string | undefined): boolean {
    return node !== undefined && this.lost.has(node);
  }

  /** Whether the node runs and cannot be reached. */
  public isCutOff(node: string | undefined): boolean {
    return node !== undefined && this.cutOff.has(node);
  }
}
