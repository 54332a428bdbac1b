import type { JSX } from "preact";
import { useId } from "preact/hooks";
import type { ProxyListing } from "../../src/desk/api/model/proxies.ts";
import { useApi } from "../app/use-api.ts";

export interface NodeFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (node: string) => void;
}

/** The node id of a connected proxy. The server suggests proxies that match the typed text. */
export function NodeField({ label, value, onInput }: NodeFieldProps): JSX.Element {
  const id = useId();
  const { loaded } = useApi<ProxyListing>(`/proxies?limit=20&search=${encodeURIComponent(value)}`);
  const items = loaded.type === "ready" ? loaded.value.items : [];
  return (
    <label class="field grow">
      {label}
      <input
        list={id}
        required
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
        placeholder="type a part of its name"
        spellcheck={false}
        autocomplete="off"
      />
      <datalist id={id}>
        {items.map(({ node, name }) => (
          <option key={node} value={node}>
            {name}
          </option>
        ))}
      </datalist>
    </label>
  );
}
