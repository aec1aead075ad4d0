// The root: theme, language, cache, messages, and the present router.
import { QueryClientProvider } from "@tanstack/react-query";
import { App as AntApp } from "antd";
import { useEffect } from "react";
import { RouterProvider } from "react-router";
import { provideFeedback } from "./feedback";
import { followLine } from "./follow-line";
import { queryClient } from "./query-client";
import { useRouter } from "./routing/router-store";
import { PasswordQuestion } from "./session/PasswordQuestion";
import { watchSession } from "./session/session-events";
import { ThemeProvider } from "./theme/ThemeProvider";

function RouterHost() {
  const { router, generation } = useRouter();
  const feedback = AntApp.useApp();
  useEffect(() => provideFeedback(feedback), [feedback]);
  useEffect(watchSession, []);
  useEffect(followLine, []);
  return router && <RouterProvider key={generation} router={router} />;
}

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <ThemeProvider>
        <AntApp message={{ maxCount: 4 }} style={{ minHeight: "100%" }}>
          <RouterHost />
          <PasswordQuestion />
        </AntApp>
      </ThemeProvider>
    </QueryClientProvider>
  );
}
