"""The access log, and metrics for Prometheus.

Both contain the route of a request instead of its address, and the name of a token instead of the token. Questions are
logged only if the operator wants this (`log_questions`).
"""

from __future__ import annotations

import logging
import time
import uuid

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ACCESS_LOG = logging.getLogger("overstory.service.access")
SECONDS_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)
NO_ROUTE = "(none)"
_MILLISECONDS_A_SECOND = 1_000
_LONGEST_LOGGED_QUESTION = 500
"""Maximum number of characters of a question that are logged."""


class ServiceMetrics:
    """The metrics of one process, for Prometheus."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "overstory_requests", "Requests answered", ("method", "route", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "overstory_request_seconds",
            "Seconds from a request to the end of its response",
            ("method", "route"),
            buckets=SECONDS_BUCKETS,
            registry=self.registry,
        )
        self.working = Gauge("overstory_requests_working", "Requests in progress", registry=self.registry)
        self.jobs = Gauge("overstory_jobs_working", "Jobs in progress in this process", registry=self.registry)


class MetricsMiddleware:
    """ASGI middleware that logs and counts each request, and adds a request id to each response."""

    def __init__(self, app: ASGIApp, metrics: ServiceMetrics, *, log_questions: bool = False) -> None:
        self._app = app
        self._metrics = metrics
        self._log_questions = log_questions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0
        scope.setdefault("state", {})
        scope["state"]["request_id"] = request_id = uuid.uuid4().hex[:16]

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                own = ((b"x-request-id", request_id.encode()), (b"x-content-type-options", b"nosniff"))
                message["headers"] = [*message.get("headers", ()), *own]
            await send(message)

        self._metrics.working.inc()
        try:
            await self._app(scope, receive, watched)
        finally:
            self._metrics.working.dec()
            seconds = time.perf_counter() - began
            route = getattr(scope.get("route"), "path", NO_ROUTE)
            method = scope["method"] if scope.get("route") else NO_ROUTE
            self._metrics.requests.labels(method, route, str(status)).inc()
            self._metrics.seconds.labels(method, route).observe(seconds)
            question = scope["state"].get("question", "") if self._log_questions else ""
            ACCESS_LOG.info(
                "%s %s %s %s %.0f ms%s",
                request_id,
                scope["state"].get("token", "-"),
                f"{scope['method']} {route}",
                status or "gone",
                seconds * _MILLISECONDS_A_SECOND,
                f" {question[:_LONGEST_LOGGED_QUESTION]!r}" if question else "",
            )
