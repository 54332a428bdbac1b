/** The label that assigns an object to one control plane revision. */
const revisionLabel = "istio.io/rev";

/** Whether objects with these labels belong to this revision or to none. */
export function isForRevision(labels: Readonly<Record<string, string>>, revision: string | undefined): boolean {
  const own = labels[revisionLabel];
  return revision === undefined || own === undefined || own === revision;
}
