/**
 * Which partitions (MIG) there are of a GPU, and which of them have room next to each other. A GPU has seven slices of compute and eight of memory,
 * or four of both; a size takes some of the memory's, beginning at certain places. So whether a set fits is a small search, and nothing is listed.
 * @see https://docs.nvidia.com/datacenter/tesla/mig-user-guide/
 */

export interface MigFamily {
  readonly title: string;
  readonly slices: 7 | 4;
  /** Sizes as mig-parted spells them, without those that only add engines. */
  readonly profiles: readonly string[];
  /** Beginnings of the values of the label `nvidia.com/gpu.product`. */
  readonly products: readonly string[];
  /** Type on GKE, where it has the GPU. */
  readonly gkeTypes: readonly string[];
}

/**
 * Sizes of the GPUs that have partitions.
 * @see https://github.com/NVIDIA/mig-parted/blob/02a00ac/deployments/container/nvidia-mig-manager-example.yaml
 * @see https://github.com/NVIDIA/mig-parted/blob/0d9252a/deployments/container/nvidia-mig-manager-example-hopper-blackwell.yaml
 */
export const MIG_FAMILIES: readonly MigFamily[] = [
  { title: 'A30', slices: 4, profiles: ['1g.6gb', '2g.12gb', '4g.24gb'], products: ['NVIDIA-A30'], gkeTypes: [] },
  {
    title: 'A100 40 GB', slices: 7, profiles: ['1g.5gb', '1g.10gb', '2g.10gb', '3g.20gb', '4g.20gb', '7g.40gb'],
    products: ['NVIDIA-A100-SXM4-40GB', 'NVIDIA-A100-PCIE-40GB', 'NVIDIA-A800-40GB'], gkeTypes: ['nvidia-tesla-a100'],
  },
  {
    title: 'A100 80 GB', slices: 7, profiles: ['1g.10gb', '1g.20gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb'],
    products: ['NVIDIA-A100-SXM4-80GB', 'NVIDIA-A100-80GB', 'NVIDIA-A800'], gkeTypes: ['nvidia-a100-80gb'],
  },
  {
    title: 'H100 80 GB', slices: 7, profiles: ['1g.10gb', '1g.20gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb'],
    products: ['NVIDIA-H100-80GB', 'NVIDIA-H100-PCIe', 'NVIDIA-H800'], gkeTypes: ['nvidia-h100-80gb', 'nvidia-h100-mega-80gb'],
  },
  {
    title: 'H100 NVL', slices: 7, profiles: ['1g.12gb', '1g.24gb', '2g.24gb', '3g.47gb', '4g.47gb', '7g.94gb'],
    products: ['NVIDIA-H100-NVL', 'NVIDIA-H800-NVL'], gkeTypes: [],
  },
  {
    title: 'H200', slices: 7, profiles: ['1g.18gb', '1g.35gb', '2g.35gb', '3g.71gb', '4g.71gb', '7g.141gb'],
    products: ['NVIDIA-H200'], gkeTypes: ['nvidia-h200-141gb'],
  },
  {
    title: 'B200', slices: 7, profiles: ['1g.23gb', '1g.45gb', '2g.45gb', '3g.90gb', '4g.90gb', '7g.180gb'],
    products: ['NVIDIA-B200'], gkeTypes: ['nvidia-b200'],
  },
  {
    title: 'GB200', slices: 7, profiles: ['1g.23gb', '1g.47gb', '2g.47gb', '3g.93gb', '4g.93gb', '7g.186gb'],
    products: ['NVIDIA-GB200'], gkeTypes: ['nvidia-gb200'],
  },
  {
    title: 'GB200 with 189 GB', slices: 7, profiles: ['1g.24gb', '1g.47gb', '2g.47gb', '3g.95gb', '4g.95gb', '7g.189gb'],
    products: ['NVIDIA-GB200'], gkeTypes: [],
  },
  {
    title: 'RTX PRO 6000', slices: 4, profiles: ['1g.24gb', '2g.48gb', '4g.96gb'],
    products: ['NVIDIA-RTX-PRO-6000'], gkeTypes: ['nvidia-rtx-pro-6000'],
  },
];

/** Numbers of partitions by their size. */
export type MigDevices = { readonly [profile: string]: number };

/** `1g.10gb` of `1g.10gb+me`. */
export function plainProfile(profile: string): string {
  return profile.split('+', 1)[0];
}

/** Whether a size has the media engines of the GPU, of which there is one set. */
export function hasMedia(profile: string): boolean {
  return /\+me(\.|$)/.test(profile);
}

export function familiesWith(profile: string): MigFamily[] {
  return MIG_FAMILIES.filter(({ profiles }) => profiles.includes(plainProfile(profile)));
}

/** Families of a product's label, which may be several: the more exact name wins. */
export function familiesOfProduct(product: string): MigFamily[] {
  const lengths = MIG_FAMILIES.map(({ products }) => (
    Math.max(0, ...products.filter((begin) => product.startsWith(begin)).map(({ length }) => length))));
  const longest = Math.max(...lengths);
  return longest === 0 ? [] : MIG_FAMILIES.filter((_family, index) => lengths[index] === longest);
}

interface Placement {
  /** Slices of memory that a partition takes. */
  readonly size: number;
  /** Where it may begin. */
  readonly starts: readonly number[];
}

/** Where partitions of a size stand on a GPU. */
function placementOf(family: MigFamily, profile: string): Placement {
  const compute = Number(/^\d+/.exec(profile)![0]);
  if (family.slices === 4) {
    return { size: compute, starts: [0, 1, 2, 3].filter((start) => start % compute === 0) };
  }
  switch (compute) {
    case 7: return { size: 8, starts: [0] };
    case 4: return { size: 4, starts: [0] };
    case 3: return { size: 4, starts: [0, 4] };
    case 2: return { size: 2, starts: [0, 2, 4] };
    // The second size of one slice of compute has two of memory.
    default: return profile === family.profiles[0] ? { size: 1, starts: [0, 1, 2, 3, 4, 5, 6] } : { size: 2, starts: [0, 2, 4, 6] };
  }
}

/** Whether partitions have room next to each other on one GPU. All sizes are the family's. */
export function fits(family: MigFamily, devices: MigDevices): boolean {
  const all = Object.entries(devices).flatMap(([profile, count]) => (
    Array.from({ length: Math.min(count, 9) }, () => placementOf(family, plainProfile(profile)))));
  const compute = Object.entries(devices).reduce((total, [profile, count]) => total + Number(/^\d+/.exec(profile)![0]) * count, 0);
  // The largest first: they have the fewest places.
  return compute <= family.slices && place(all.sort((one, other) => other.size - one.size || one.starts.length - other.starts.length), 0);
}

function place([first, ...others]: readonly Placement[], taken: number): boolean {
  if (first === undefined) {
    return true;
  }
  return first.starts.some((start) => {
    const mask = ((1 << first.size) - 1) << start;
    return (taken & mask) === 0 && place(others, taken | mask);
  });
}

/** Most partitions of one size that a GPU gives. */
export function mostOf(family: MigFamily, profile: string): number {
  const counts = [7, 6, 5, 4, 3, 2, 1];
  return hasMedia(profile) ? 1 : counts.find((count) => fits(family, { [profile]: count })) ?? 0;
}
