/** A ResourceFlavor of Kueue: one that the program makes, or one that exists. */
export interface IResourceFlavor {
  /** Name of the flavor. */
  readonly flavorName: string;
}
