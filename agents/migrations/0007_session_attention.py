"""The database keeps how much a session needs attention, from columns that are filled by now."""

from django.db import migrations, models
from django.db.models import Case, Q, When

BUSY = ("queued", "running", "compacting")


class Migration(migrations.Migration):
    dependencies = [("agents", "0006_fleet_columns")]

    operations = [
        migrations.AddField(
            "agentsession",
            "attention",
            models.GeneratedField(
                db_persist=True,
                expression=Case(
                    When(status="failed", then=0),
                    When(status="waiting", then=1),
                    When(Q(status__in=BUSY, context_use__gte=90), then=2),
                    When(Q(status__in=BUSY, context_use__gte=75), then=3),
                    When(status="compacting", then=4),
                    When(status="running", then=5),
                    When(status="queued", then=6),
                    default=7,
                ),
                output_field=models.SmallIntegerField(),
            ),
        ),
        migrations.AddIndex(
            "agentsession",
            models.Index(fields=["attention", "-changed_at"], name="session_by_attention"),
        ),
    ]
