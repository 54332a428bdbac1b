import type { JSX } from "preact";
import type { HistoryMoment } from "../../../src/desk/api/model/history.ts";
import { setQuery } from "../../app/router.tsx";
import { FilterBar } from "../../parts/filters.tsx";
import { momentTitle } from "./moment-words.ts";

/** The numbers of two moments, as the address has them; empty if none is chosen. */
export interface ChosenMoments {
  readonly from: string;
  readonly to: string;
}

export interface MomentFieldsProps {
  readonly moments: readonly HistoryMoment[];
  readonly chosen: ChosenMoments;
}

/** The two moments that are compared. */
export function MomentFields({ moments, chosen: { from, to } }: MomentFieldsProps): JSX.Element {
  return (
    <FilterBar>
      <MomentField label="From" name="from" value={from} moments={moments} />
      <MomentField label="To" name="to" value={to} moments={moments} />
    </FilterBar>
  );
}

interface MomentFieldProps {
  readonly label: string;
  /** The parameter of the address. */
  readonly name: string;
  readonly value: string;
  readonly moments: readonly HistoryMoment[];
}

function MomentField({ label, name, value, moments }: MomentFieldProps): JSX.Element {
  // An address may name a moment that is not in the list.
  const isListed = value === "" || moments.some(({ number }) => String(number) === value);
  return (
    <label class="field grow">
      {label}
      <select value={value} onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}>
        <option value="">choose a moment</option>
        {moments.map((moment) => (
          <option key={moment.number} value={String(moment.number)}>
            {moment.number}: {new Date(moment.at).toLocaleTimeString()} {momentTitle(moment)}
          </option>
        ))}
        {!isListed && <option value={value}>{value}</option>}
      </select>
    </label>
  );
}
