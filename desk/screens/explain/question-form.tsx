import type { JSX } from "preact";
import { useOffer } from "../../app/session.ts";
import { NodeField } from "../../parts/node-field.tsx";
import { EditedText } from "./edited-text.tsx";
import type { Question } from "./question.ts";

export interface QuestionFormProps {
  readonly question: Question;
  readonly onChange: (question: Question) => void;
  readonly onSubmit: () => void;
  readonly busy: boolean;
}

/** The request, as its sender would write it. */
export function QuestionForm({ question, onChange, onSubmit, busy }: QuestionFormProps): JSX.Element {
  const change = (name: keyof Question, value: string) => onChange({ ...question, [name]: value });
  const set = (name: keyof Question) => (event: { readonly currentTarget: { readonly value: string } }) =>
    change(name, event.currentTarget.value);
  const submit = (event: Event) => {
    event.preventDefault();
    onSubmit();
  };
  const hasObjects = useOffer("/configuration/KIND/NAMESPACE/NAME");
  const { headers, source, identity, extAuthz } = question;
  return (
    <form class="card question" onSubmit={submit}>
      <NodeField
        label="The request arrives at the proxy"
        value={question.node}
        onInput={(node) => change("node", node)}
      />
      <label class="field">
        It comes from
        <select value={question.from} onChange={set("from")}>
          <option value="client">the workload beside the proxy</option>
          <option value="network">the network</option>
        </select>
      </label>
      <label class="field">
        Method
        <input value={question.method} onInput={set("method")} required size={8} spellcheck={false} />
      </label>
      <label class="field grow">
        URL
        <input
          value={question.url}
          onInput={set("url")}
          required
          pattern="(https?|tcp)://.+"
          title="http://host:port/path, https://… or tcp://host:port"
          placeholder="http://reviews:9080/"
          spellcheck={false}
        />
      </label>
      <details class="more" open={[headers, source, identity, extAuthz].some((text) => text !== "")}>
        <summary>Headers, and the identity of the client</summary>
        <label class="field">
          Headers, one per line
          <textarea
            rows={2}
            value={headers}
            onInput={set("headers")}
            placeholder="end-user: jason"
            spellcheck={false}
          />
        </label>
        <label class="field">
          IP address of the client
          <input value={source} onInput={set("source")} spellcheck={false} />
        </label>
        <label class="field">
          SPIFFE id of the client, with mutual TLS
          <input
            value={identity}
            onInput={set("identity")}
            placeholder="spiffe://cluster.local/ns/shop/sa/web"
            spellcheck={false}
          />
        </label>
        <label class="field">
          External authorizers answer
          <select value={extAuthz} onChange={set("extAuthz")}>
            <option value="">unknown</option>
            <option value="allow">allow</option>
            <option value="deny">deny</option>
          </select>
        </label>
      </details>
      {hasObjects && (
        <EditedText
          edit={question.edit}
          text={question.whatIf}
          onChange={(more) => onChange({ ...question, ...more })}
        />
      )}
      <button type="submit" class="primary" disabled={busy}>
        {busy ? "Explaining …" : "Explain"}
      </button>
    </form>
  );
}
