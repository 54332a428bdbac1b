import type { JSX } from "preact";
import { Section } from "../../parts/table.tsx";

export interface RestoreProps {
  readonly moment: string;
  /** Absent for a workload. */
  readonly directory: string | undefined;
}

/** The desk writes nothing: it names the command. */
export function Restore({ moment, directory }: RestoreProps): JSX.Element {
  const command = `binnacle history restore ${moment} --history ${directory ?? "DIR"}`;
  return (
    <Section title="Restore">
      <p>This command prints the objects of the earlier moment, and changes nothing:</p>
      <p class="command">
        <code>{command}</code>
      </p>
      <p class="hint">
        With <code>--store URL</code> it shows what it would write, and with <code>--write</code> it writes.
      </p>
    </Section>
  );
}
