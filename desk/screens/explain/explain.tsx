import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ExplainAnswer } from "../../../src/desk/api/model/explain.ts";
import { type ApiAnswer, ask, sending } from "../../app/api.ts";
import { setQuery } from "../../app/router.tsx";
import type { ViewProps } from "../../app/view.ts";
import { Empty, Failure } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { Answer } from "./answer.tsx";
import { type Question, questionFrom, queryOf, requestOf } from "./question.ts";
import { QuestionForm } from "./question-form.tsx";

/** Where a request goes, and why. The question is in the address, except for the text of a what-if. */
export function Explain({ query }: ViewProps): JSX.Element {
  const [question, setQuestion] = useState(() => questionFrom(query));
  const [answer, setAnswer] = useState<ApiAnswer<ExplainAnswer>>();
  const [busy, setBusy] = useState(false);

  const send = async (asked: Question) => {
    setBusy(true);
    setAnswer(await ask<ExplainAnswer>("/explain", sending("POST", requestOf(asked))));
    setBusy(false);
  };
  const submit = (asked: Question) => {
    setQuery(queryOf(asked));
    void send(asked);
  };
  useEffect(() => {
    // A shared address asks its question.
    if (question.node !== "" && query.has("url")) void send(question);
  }, []);

  return (
    <Page title="Explain">
      <QuestionForm question={question} onChange={setQuestion} onSubmit={() => submit(question)} busy={busy} />
      {answer === undefined && (
        <Empty title="Ask where a request goes.">
          <p>
            Choose a connected proxy, and write the request as for curl. Every decision on its way appears here, with
            the object and the line behind it. No request is sent.
          </p>
        </Empty>
      )}
      {answer?.type === "failure" && <Failure failure={answer.failure} retry={() => void send(question)} />}
      {answer?.type === "answer" && <Answer answer={answer.value} />}
    </Page>
  );
}
