import type { JSX } from "preact";
import type { ControlPlane, PhaseTime } from "../../../src/desk/api/model/control-plane.ts";
import { count, duration } from "../../parts/quantity.ts";
import { Table } from "../../parts/table.tsx";

const columns = [
  { title: "Time by phase" },
  { title: "Measured", kind: "number" },
  { title: "p50", kind: "number" },
  { title: "p99", kind: "number" },
] as const;

const words: Readonly<Record<keyof ControlPlane["pushPhases"], string>> = {
  debounce: "Wait for the debounce",
  build: "Build the resources",
  acknowledge: "Proxy acknowledges",
};

/** Of the pushes that the journal holds. */
export function Phases({ phases }: { readonly phases: ControlPlane["pushPhases"] }): JSX.Element {
  return (
    <Table label="Time of pushes by phase" columns={columns}>
      {Object.entries(words).map(([phase, word]) => (
        <Row key={phase} word={word} time={phases[phase as keyof typeof words]} />
      ))}
    </Table>
  );
}

function Row({ word, time: { count: measured, p50, p99 } }: { readonly word: string; readonly time: PhaseTime }) {
  return (
    <tr>
      <th scope="row">{word}</th>
      <td class="number">{count(measured)}</td>
      <td class="number">{p50 === undefined ? "–" : duration(p50)}</td>
      <td class="number">{p99 === undefined ? "–" : duration(p99)}</td>
    </tr>
  );
}
