from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0016_fill_why_answers_are_cut'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='message',
            name='is_cut',
        ),
    ]
