from django.db import migrations


def fill(apps, schema_editor):
    """Say of each answer that is not whole why, from the call it was said in."""
    Message = apps.get_model('agents', 'Message')
    ModelCall = apps.get_model('agents', 'ModelCall')
    for row in Message.objects.filter(is_cut=True).select_related('turn').defer('turn__input'):
        calls = ModelCall.objects.filter(turn=row.turn_id).order_by('ordinal')
        said_in = calls.filter(started_at__lte=row.created_at).last()
        row.cut = _cut(row, said_in)
        is_over = row.turn is None or row.turn.status not in {'queued', 'running', 'waiting'}
        was_asked_again = not is_over or calls.filter(started_at__gt=row.created_at).exists()
        row.is_replaced = row.cut != 'provider' and not row.in_context and was_asked_again
        row.save(update_fields=['cut', 'is_replaced'])


def _cut(row, said_in):
    if said_in is None or said_in.status == 'stopped':
        return 'stopped'
    if said_in.status == 'failed':
        return 'failed'
    says_something = any(block.get('type') == 'tool_use' or str(block.get('text', '')).strip() for block in row.blocks)
    return 'provider' if says_something else 'silent'


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0015_why_answers_are_cut'),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
