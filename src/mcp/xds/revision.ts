/** By this label an object belongs to one revision of a control plane. */
const revisionLabel = "istio.io/rev";

/** Whether objects with these labels are for a revision: its own, and those that belong to none. */
export function isForRevision(labels: Readonly<Record<string, string>>, revision: string | undefined): boolean {
  const own = labels[revisionLabel];
  return revision === undefined || own === undefined || own === revision;
}
