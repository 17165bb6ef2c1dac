"""What both clients offer about schedules."""

from collections.abc import AsyncIterator, Iterator

from reteval import _schedule_calls
from reteval._async_sender import AsyncSender
from reteval._schedule_calls import AskedSchedule
from reteval._sender import Sender
from reteval.contract.runs import Run
from reteval.contract.schedules import Fire, FireTimes, Schedule


class Schedules(Sender):
    """A sender that knows the routes of schedules and of what they started."""

    def create_schedule(self, request: AskedSchedule) -> Schedule:
        """Let a run start by itself, again and again; it is checked as if it were started now."""
        return self._exchange(_schedule_calls.post_schedule(request))

    def schedules(self, *, limit: int | None = None) -> Iterator[Schedule]:
        """Iterate over schedules, newest first; `limit` is the size of a page."""
        return self._rows(_schedule_calls.get_schedules(limit))

    def schedule(self, schedule_id: str) -> Schedule:
        """Return a schedule, without the header values of its run."""
        return self._exchange(_schedule_calls.get_schedule(schedule_id))

    def replace_schedule(
        self, schedule_id: str, request: AskedSchedule, *, version: int | None = None
    ) -> Schedule:
        """Change a schedule. With a `version`, `ClientError` where it has another one by now."""
        return self._exchange(_schedule_calls.put_schedule(schedule_id, request, version))

    def delete_schedule(self, schedule_id: str) -> None:
        """Delete a schedule; its runs and its history stay."""
        self._exchange(_schedule_calls.delete_schedule(schedule_id))

    def pause_schedule(self, schedule_id: str) -> Schedule:
        """Pause a schedule; what it started goes on."""
        return self._exchange(_schedule_calls.post_pause(schedule_id))

    def resume_schedule(self, schedule_id: str) -> None:
        """End the pause of a schedule, which is due from now on."""
        self._exchange(_schedule_calls.delete_pause(schedule_id))

    def start_schedule(self, schedule_id: str) -> Run:
        """Start the run of a schedule now, paused or not."""
        return self._exchange(_schedule_calls.post_start(schedule_id))

    def fires(self, schedule_id: str, *, limit: int | None = None) -> Iterator[Fire]:
        """Iterate over what became of a schedule's times, newest first; of a deleted one, too."""
        return self._rows(_schedule_calls.get_fires(schedule_id, limit))

    def fire_times(self, cron: str, zone: str = "UTC", *, count: int | None = None) -> FireTimes:
        """Tell when an expression is due next, in UTC and by the clocks of the zone."""
        return self._exchange(_schedule_calls.get_times(cron, zone, count))


class AsyncSchedules(AsyncSender):
    """`Schedules` for asyncio."""

    async def create_schedule(self, request: AskedSchedule) -> Schedule:
        """Let a run start by itself, again and again; it is checked as if it were started now."""
        return await self._exchange(_schedule_calls.post_schedule(request))

    def schedules(self, *, limit: int | None = None) -> AsyncIterator[Schedule]:
        """Iterate over schedules, newest first; `limit` is the size of a page."""
        return self._rows(_schedule_calls.get_schedules(limit))

    async def schedule(self, schedule_id: str) -> Schedule:
        """Return a schedule, without the header values of its run."""
        return await self._exchange(_schedule_calls.get_schedule(schedule_id))

    async def replace_schedule(
        self, schedule_id: str, request: AskedSchedule, *, version: int | None = None
    ) -> Schedule:
        """Change a schedule. With a `version`, `ClientError` where it has another one by now."""
        return await self._exchange(_schedule_calls.put_schedule(schedule_id, request, version))

    async def delete_schedule(self, schedule_id: str) -> None:
        """Delete a schedule; its runs and its history stay."""
        await self._exchange(_schedule_calls.delete_schedule(schedule_id))

    async def pause_schedule(self, schedule_id: str) -> Schedule:
        """Pause a schedule; what it started goes on."""
        return await self._exchange(_schedule_calls.post_pause(schedule_id))

    async def resume_schedule(self, schedule_id: str) -> None:
        """End the pause of a schedule, which is due from now on."""
        await self._exchange(_schedule_calls.delete_pause(schedule_id))

    async def start_schedule(self, schedule_id: str) -> Run:
        """Start the run of a schedule now, paused or not."""
        return await self._exchange(_schedule_calls.post_start(schedule_id))

    def fires(self, schedule_id: str, *, limit: int | None = None) -> AsyncIterator[Fire]:
        """Iterate over what became of a schedule's times, newest first; of a deleted one, too."""
        return self._rows(_schedule_calls.get_fires(schedule_id, limit))

    async def fire_times(
        self, cron: str, zone: str = "UTC", *, count: int | None = None
    ) -> FireTimes:
        """Tell when an expression is due next, in UTC and by the clocks of the zone."""
        return await self._exchange(_schedule_calls.get_times(cron, zone, count))
